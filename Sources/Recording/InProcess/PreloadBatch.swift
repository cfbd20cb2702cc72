import CPreloadRing

/// What the rings of a process held, in the order of time: what one thread opens another uses.
///
/// It is filled again and again, so that its memory is not asked for each time.
struct PreloadBatch: RandomAccessCollection {
  struct Element {
    var record: lull_record
    var slot: Int
    var parts: PreloadParts?
  }

  private var elements: [Element] = []
  /// Of the same time what was taken in first comes first.
  private var order: [(end: UInt64, place: Int)] = []

  var startIndex: Int { 0 }
  var endIndex: Int { elements.count }

  /// To be asked for once all is in order.
  subscript(index: Int) -> Element { elements[order[index].place] }

  mutating func append(_ record: lull_record, _ parts: PreloadParts?, slot: Int) {
    order.append((record.end, elements.count))
    elements.append(Element(record: record, slot: slot, parts: parts))
  }

  mutating func sort() { order.sort { ($0.end, $0.place) < ($1.end, $1.place) } }

  mutating func removeAll() {
    elements.removeAll(keepingCapacity: true)
    order.removeAll(keepingCapacity: true)
  }
}

extension PreloadBatch {
  private struct Opened: Hashable {
    var descriptor: Int32
    var ports: [UInt16]
  }

  /// Of sockets that were looked for those that none of the calls opened: what they open has its descriptor and ends.
  func earlier(_ found: [OpenSocket]) -> [OpenSocket] {
    var opened: Set<Opened> = []
    for element in self where element.record.kind == lull_record_call.rawValue {
      guard let (own, peer) = element.parts?.addresses else { continue }
      let record = element.record
      let isAccept = record.number == CallMeaning.Number.accept
      opened.insert(
        Opened(
          descriptor: Int32(
            truncatingIfNeeded: isAccept ? record.result : Int64(bitPattern: record.arguments.0)),
          ports: [own.port, peer.port]))
    }
    // Other descriptors may stand for the same.
    let inodes = Set(
      found.filter {
        opened.contains(Opened(descriptor: $0.descriptor, ports: [$0.own.port, $0.peer.port]))
      }.map(\.inode))
    return found.filter { !inodes.contains($0.inode) }
  }
}
