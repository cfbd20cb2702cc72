import CPFM

/// Events of the kernel's own event descriptions, written `pmu/event/` as perf does.
enum SystemPMU {
  /// An event with how its count becomes a value.
  struct Event {
    var code: lull_event_code
    var scale: Double
    var unit: String?
    /// The CPUs to count on, for what is counted for whole packages; nil counts by task.
    var cpus: [Int32]?
  }

  /// Where the kernel describes its PMUs.
  static let root = "/sys/bus/event_source/devices"

  /// Finds an event; throws the reason in words.
  static func event(_ pmu: String, _ name: String, root: String = root) throws(Unavailable)
    -> Event
  {
    guard isName(pmu), isName(name) else {
      throw Unavailable("`\(pmu)/\(name)/` is not an event's name")
    }
    let place = "\(root)/\(pmu)"
    guard let type = KernelFile.integer("\(place)/type"), let type = UInt32(exactly: type) else {
      throw Unavailable("this machine has no \(pmu) counters (virtual machines seldom do)")
    }
    guard let terms = trimmed("\(place)/events/\(name)") else {
      throw Unavailable("the \(pmu) counters have no event \(name)")
    }
    var code = lull_event_code()
    code.type = type
    for term in terms.split(separator: ",") {
      let parts = term.split(separator: "=", maxSplits: 1)
      let digits = parts.count == 2 ? parts[1] : "1"
      guard let value = number(digits) else {
        throw Unavailable("the term `\(term)` of \(pmu)/\(name)/ is not understood")
      }
      try put(value, named: String(parts[0]), of: place, into: &code)
    }
    let scale = trimmed("\(place)/events/\(name).scale").flatMap(Double.init) ?? 1
    let cpus = trimmed("\(place)/cpumask").map(SystemInfo.cpuList)
    return Event(
      code: code, scale: scale, unit: trimmed("\(place)/events/\(name).unit"),
      cpus: cpus.flatMap { $0.isEmpty ? nil : $0 })
  }

  /// A reason, in words.
  struct Unavailable: Error {
    var reason: String
    init(_ reason: String) { self.reason = reason }
  }

  /// Puts a term's value into the bits that the PMU's `format` gives: `config:0-7,32-35`.
  private static func put(
    _ value: UInt64, named term: String, of pmu: String, into code: inout lull_event_code
  ) throws(Unavailable) {
    let layout = isName(term) ? trimmed("\(pmu)/format/\(term)") ?? "" : ""
    let word: String
    let ranges: Substring
    if let colon = layout.firstIndex(of: ":") {
      word = String(layout[..<colon])
      ranges = layout[layout.index(after: colon)...]
    } else {
      (word, ranges) = (term, "0-63")
    }
    var bits: UInt64 = 0
    var rest = value
    for range in ranges.split(separator: ",") {
      let ends = range.split(separator: "-").compactMap { UInt64($0) }
      guard let first = ends.first, let last = ends.last, first <= last, last < 64 else {
        throw Unavailable("the format of term `\(term)` is not understood")
      }
      let width = last - first + 1
      let mask = width == 64 ? UInt64.max : (1 << width) - 1
      bits |= (rest & mask) << first
      rest = width == 64 ? 0 : rest >> width
    }
    switch word {
    case "config": code.config |= bits
    case "config1": code.config1 |= bits
    case "config2": code.config2 |= bits
    default: throw Unavailable("the term `\(term)` is not understood")
    }
  }

  private static func isName(_ text: String) -> Bool {
    !text.isEmpty && !text.hasPrefix(".")
      && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.:".contains($0)) }
  }

  private static func number(_ text: some StringProtocol) -> UInt64? {
    text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
  }

  private static func trimmed(_ path: String) -> String? {
    KernelFile.text(path)?.split(separator: "\n").first.map(String.init)
  }
}
