/// Texts of profilers that hold too little to be read as a trace, each by what it is.
enum ForeignText {
  /// So much of a file is looked at.
  private static let lookedAt = 16 << 10

  /// What the file is and what to do; nil where it is none of these.
  static func reason(_ bytes: ByteView) -> String? {
    let start = bytes.prefix(lookedAt)
    if start.starts(with: Array("SIMPLEPERF".utf8)) {
      return "it is a protocol buffer of simpleperf: give the perf.data file that it was made of"
    }
    guard !start.isEmpty, !start.contains(0) else { return nil }
    let lines = String(decoding: start, as: UTF8.self).split(whereSeparator: \.isNewline)
    if lines.contains("sample:"), lines.contains(where: { $0.contains("event_count:") }) {
      return
        "it is the text of `simpleperf report-sample`: give the perf.data file that it was made of, or what "
        + "simpleperf's report_sample.py prints"
    }
    for (line, next) in zip(lines, lines.dropFirst()) where isEventWithoutTime(line) {
      // Some have lost the blanks before their frames.
      if ScriptFrame(next) != nil, !isEventWithoutTime(next) {
        return
          "it is the text of perf script without times: print it with `perf script -F +time`, or give the "
          + "perf.data file"
      }
    }
    if lines.count > 1, lines.dropLast().allSatisfy(isFolded) {
      return
        "it holds folded stacks, which are sums without times: give the perf.data file that they were made of"
    }
    return nil
  }

  /// "comm pid/tid [cpu] period event:", as far as it is there.
  private static func isEventWithoutTime(_ line: Substring) -> Bool {
    let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
    guard words.count >= 3, words.last?.last == ":",
      words.last.map({ Int($0.dropLast()) }) == .some(nil)
    else { return false }
    return words.dropFirst().dropLast().contains { word in
      word.split(separator: "/").allSatisfy { Int($0) != nil }
    }
  }

  /// "outer;inner 12".
  private static func isFolded(_ line: Substring) -> Bool {
    guard let space = line.lastIndex(of: " "), line[..<space].contains(";") else { return false }
    return UInt64(line[line.index(after: space)...]) != nil
  }
}
