/// Files of one recording that was cut into several, as `perf record --switch-output` does, read as one.
enum TraceSeries {
  static func parts(_ named: [String]) throws(PerfDataError) -> TraceParts {
    var paths: [String] = []
    for path in named { paths += try PartFolder.files(path) }
    guard let first = paths.first else {
      throw PerfDataError(.unsupported("no trace was named"))
    }
    var whole = try TraceParts.open(path: first)
    guard paths.count > 1 else { return whole }
    let spill = SpillFile()
    try spill.append(whole.storage.bytes.view(whole.data))
    var last = PartBeginning(whole)?.number
    for path in paths.dropFirst() {
      let part = try TraceParts.open(path: path)
      guard part.attributes.map(\.identity) == whole.attributes.map(\.identity) else {
        throw PerfDataError(
          .unsupported("\(path) is of another recording than \(first): report on each by itself"))
      }
      let beginning = PartBeginning(part)
      if let beginning, let last, beginning.number == last + 1 {
        // The part before tells what stood.
        try spill.append(
          part.storage.bytes.view(part.data.lowerBound..<beginning.standing.lowerBound))
        try spill.append(
          part.storage.bytes.view(beginning.standing.upperBound..<part.data.upperBound))
      } else {
        try spill.append(part.storage.bytes.view(part.data))
      }
      last = beginning?.number
      let clock = whole.decoder.features.clockData
      if part.hasFeatures { whole.decoder.adopt(part.decoder) }
      // The wall clock may have been set meanwhile: the recording began by the first part's.
      whole.decoder.features.clockData = clock ?? whole.decoder.features.clockData
      whole.problems += part.problems.map { "\(path): \($0)" }
      whole.isUnfinished = whole.isUnfinished || part.isUnfinished
      whole.hasFeatures = whole.hasFeatures || part.hasFeatures
    }
    whole.storage = try spill.storage()
    whole.data = 0..<spill.count
    return whole
  }
}

/// What the first records of a part of a recording say.
struct PartBeginning {
  let number: Int
  /// Where the records are that tell what stood.
  let standing: Range<Int>

  /// Nil where the trace is no part.
  init?(_ parts: TraceParts) {
    let decoder = EntryDecoder(parts.storage.bytes, parts.attributes)
    var scanner = RecordScanner(decoder, in: parts.data)
    var record = RecordEntry(offset: 0, type: 0, size: 8, misc: 0)
    while scanner.next(&record) {
      // What comes before it is the early metadata.
      if record.type == RecordType.headerFeature { continue }
      let index = Int(record.attribute)
      guard record.type == RecordType.sample, parts.attributes.indices.contains(index),
        // Of a part that was not finished the names are not known yet.
        parts.attributes[index].type == SyntheticEvent.attributeType,
        parts.attributes[index].config == SyntheticEvent.attributeConfig,
        let raw = PayloadLocator(parts.attributes[index]).payload(
          parts.storage.bytes, record.offset + 8..<record.offset + Int(record.size)),
        let event = try? PartEvent(decoding: RawPayload(bytes: Array(parts.storage.bytes[raw])))
      else { return nil }
      number = event.number
      let start = scanner.position
      for _ in 0..<max(0, event.standingRecords) {
        guard scanner.nextWhole() != nil else { return nil }
      }
      standing = start..<scanner.position
      return
    }
    return nil
  }
}

extension EventAttribute {
  /// What tells one recording's events from another's.
  fileprivate var identity: [UInt64] {
    [UInt64(type), config, sampleType.rawValue, readFormat, sampleRegsUser] + ids
  }
}
