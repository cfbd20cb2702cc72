/// Files of one recording that was cut into several, as `perf record --switch-output` does, read as one.
enum TraceSeries {
  static func parts(_ paths: [String]) throws(PerfDataError) -> TraceParts {
    guard let first = paths.first else {
      throw PerfDataError(.unsupported("no trace was named"))
    }
    var whole = try TraceParts.open(path: first)
    guard paths.count > 1 else { return whole }
    let spill = SpillFile()
    try spill.append(whole.storage.bytes.view(whole.data))
    for path in paths.dropFirst() {
      let part = try TraceParts.open(path: path)
      guard part.attributes.map(\.identity) == whole.attributes.map(\.identity) else {
        throw PerfDataError(
          .unsupported("\(path) is of another recording than \(first): report on each by itself"))
      }
      try spill.append(part.storage.bytes.view(part.data))
      if part.hasFeatures { whole.decoder.adopt(part.decoder) }
      whole.problems += part.problems.map { "\(path): \($0)" }
      whole.isUnfinished = whole.isUnfinished || part.isUnfinished
      whole.hasFeatures = whole.hasFeatures || part.hasFeatures
    }
    whole.storage = try spill.storage()
    whole.data = 0..<spill.count
    return whole
  }
}

extension EventAttribute {
  /// What tells one recording's events from another's.
  fileprivate var identity: [UInt64] {
    [UInt64(type), config, sampleType.rawValue, readFormat, sampleRegsUser] + ids
  }
}
