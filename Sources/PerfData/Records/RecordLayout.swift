/// Where the fields common to all records are in those of one attribute.
///
/// Offsets count bytes from the body's start in samples and from the record's end in others; -1 is none.
struct RecordLayout {
  var tid = -1
  var time = -1
  var cpu = -1
  /// Bytes of a record, its header included, that hold all of them.
  var least = 8
  var trailerTid = -1
  var trailerTime = -1
  var trailerCPU = -1
  var trailerSize = 0

  /// Of records that tell none of them.
  init() {}

  init(_ attribute: EventAttribute) {
    let fields = attribute.sampleType
    var position = 0
    let order: [SampleFields] = [
      .identifier, .instructionPointer, .tid, .time, .address, .id, .streamID, .cpu,
    ]
    for field in order where fields.contains(field) {
      if field == .tid { tid = position }
      if field == .time { time = position }
      if field == .cpu { cpu = position }
      position += 8
      if [tid, time, cpu].contains(position - 8) { least = 8 + position }
    }
    guard attribute.sampleIDAll else { return }
    let trailer: [SampleFields] = [.identifier, .cpu, .streamID, .id, .time, .tid]
    for field in trailer where fields.contains(field) {
      trailerSize += 8
      if field == .tid { trailerTid = trailerSize }
      if field == .time { trailerTime = trailerSize }
      if field == .cpu { trailerCPU = trailerSize }
    }
  }
}

/// Tells of which attribute a record is.
struct AttributeLookup {
  /// Byte offset of the id in a sample's body; -1 when samples carry none.
  private(set) var samplePlace = -1
  /// Byte offset of the id from the end of a record that is no sample; -1 when it has none.
  private(set) var trailerPlace = -1
  /// The attribute of a record without an id: the only one, or one of many that are laid out alike.
  let defaultAttribute: Int32
  private let lowest: UInt64
  /// Ids are given out in sequence, so a table serves unless a file says otherwise.
  private let dense: ContiguousArray<Int32>
  private let sparse: [UInt64: Int32]

  private static let widestTable: UInt64 = 1 << 16

  init(_ attributes: [EventAttribute]) {
    var ids: [UInt64: Int32] = [:]
    for (index, attribute) in attributes.enumerated() {
      for id in attribute.ids { ids[id] = Int32(truncatingIfNeeded: index) }
    }
    let low = ids.keys.min() ?? 0
    let high = ids.keys.max() ?? 0
    lowest = low
    if !ids.isEmpty, high - low < Self.widestTable {
      var table = ContiguousArray<Int32>(repeating: -1, count: Int(high - low) + 1)
      for (id, attribute) in ids { table[Int(id - low)] = attribute }
      dense = table
      sparse = [:]
    } else {
      dense = []
      sparse = ids
    }
    if attributes.count > 1 { (samplePlace, trailerPlace) = Self.places(attributes) }
    let alike = Set(attributes.map(\.sampleType)).count == 1
    defaultAttribute = attributes.count == 1 || (samplePlace < 0 && alike) ? 0 : -1
  }

  private static func places(_ attributes: [EventAttribute]) -> (sample: Int, trailer: Int) {
    if attributes.allSatisfy({ $0.sampleType.contains(.identifier) }) { return (0, 8) }
    let all = attributes.map { attribute -> (sample: Int, trailer: Int) in
      let fields = attribute.sampleType
      guard fields.contains(.id) else { return (-1, -1) }
      let before: [SampleFields] = [.identifier, .instructionPointer, .tid, .time, .address]
      let after: [SampleFields] = [.identifier, .cpu, .streamID]
      return (
        before.count(where: fields.contains) * 8, (after.count(where: fields.contains) + 1) * 8
      )
    }
    guard let first = all.first, all.allSatisfy({ $0 == first }) else { return (-1, -1) }
    return first
  }

  /// The attribute with that event id; -1 for an unknown one.
  @inline(__always)
  func attribute(of id: UInt64) -> Int32 {
    let index = id &- lowest
    if index < UInt64(dense.count) { return dense[Int(index)] }
    return sparse.isEmpty ? -1 : sparse[id] ?? -1
  }

  /// Bytes from a sample's start to its id; 0 where samples carry none.
  var idPlace: Int { samplePlace >= 0 ? samplePlace + 8 : 0 }

  /// The attribute of each id; none where samples carry no id, and all are of `defaultAttribute`.
  var attributesByID: [UInt64: Int32] {
    guard samplePlace >= 0 else { return [:] }
    guard sparse.isEmpty else { return sparse }
    let known = dense.enumerated().lazy.filter { $0.element >= 0 }
    return Dictionary(
      uniqueKeysWithValues: known.map { (lowest + UInt64($0.offset), $0.element) })
  }
}
