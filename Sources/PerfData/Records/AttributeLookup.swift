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

  /// The identifier is at one place whatever else there is; ids without it may be.
  private static func places(_ attributes: [EventAttribute]) -> (sample: Int, trailer: Int) {
    let part: SamplePart =
      attributes.allSatisfy { $0.sampleType.contains(.identifier) } ? .identifier : .id
    let all = attributes.map { attribute -> (sample: Int, trailer: Int) in
      let layout = SampleLayout(attribute)
      let trailer = SampleOffsets(trailersOf: layout)
      return (
        SampleOffsets(samplesOf: layout)[part] ?? -1,
        trailer[part].map { trailer.size - $0 } ?? -1
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
