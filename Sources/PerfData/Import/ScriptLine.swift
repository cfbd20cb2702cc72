/// A line of `perf script`: "comm pid/tid [cpu] seconds: period event: fields".
struct ScriptLine {
  var name: String
  var pid: Int32?
  var tid: Int32
  var cpu: Int32
  var time: UInt64
  var period: UInt64
  var event: String
  var fields: Substring

  init?(_ line: Substring) {
    // simpleperf's scripts print tabs between some.
    let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
    guard let place = words.firstIndex(where: { Self.time($0) != nil }), place >= 1,
      let time = Self.time(words[place])
    else { return nil }
    var task = place - 1
    cpu = -1
    if words[task].first == "[", words[task].last == "]" {
      guard let number = Int32(words[task].dropFirst().dropLast()), task >= 1 else { return nil }
      cpu = number
      task -= 1
    }
    let ids = words[task].split(separator: "/")
    guard let tid = ids.last.flatMap({ Int32($0) }), ids.count <= 2, task >= 1 else { return nil }
    self.tid = tid
    pid = ids.count == 2 ? Int32(ids[0]) : nil
    name = words[..<task].joined(separator: " ")
    self.time = time
    var next = place + 1
    period = 1
    if next < words.count, let count = UInt64(words[next]) {
      period = count
      next += 1
    }
    guard next < words.count, words[next].last == ":", words[next].count > 1 else { return nil }
    event = String(words[next].dropLast())
    fields = line[words[next].endIndex...]
  }

  /// The type and number of an event that perf has a name for; nil of a tracepoint.
  ///
  /// Modifiers follow a colon, as `cycles:ppp`; what follows a tracepoint's colon is its name.
  static func kind(ofEvent name: String) -> (type: UInt32, config: UInt64)? {
    let parts = name.split(separator: ":", maxSplits: 1)
    guard let base = parts.first else { return nil }
    if parts.count > 1, !parts[1].allSatisfy({ "ukhIGHpPSDWeb".contains($0) }) { return nil }
    switch base {
    case "cpu-clock": return (1, 0)
    case "task-clock": return (1, 1)
    case "page-faults", "faults": return (1, 2)
    case "context-switches", "cs": return (1, 3)
    case "cpu-migrations", "migrations": return (1, 4)
    case "minor-faults": return (1, 5)
    case "major-faults": return (1, 6)
    case "alignment-faults": return (1, 7)
    case "emulation-faults": return (1, 8)
    case "dummy": return (1, 9)
    case "bpf-output": return (1, 10)
    case "cycles", "cpu-cycles": return (0, 0)
    case "instructions": return (0, 1)
    // PERF_TYPE_RAW: of the processor, whatever it is.
    default: return (4, 0)
    }
  }

  /// "634.206684:" in nanoseconds.
  private static func time(_ word: Substring) -> UInt64? {
    guard word.last == ":", let dot = word.firstIndex(of: "."),
      let seconds = UInt64(word[..<dot])
    else { return nil }
    let fraction = word[word.index(after: dot)...].dropLast()
    guard fraction.count >= 6, fraction.count <= 9, let part = UInt64(fraction) else { return nil }
    var scale: UInt64 = 1
    for _ in fraction.count..<9 { scale *= 10 }
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? nil : whole &+ part * scale
  }

  /// A tracepoint's fields by name, as its print format shows them.
  var values: [(name: String, value: Value)] {
    let words = fields.split(separator: " ", omittingEmptySubsequences: true)
    // raw_syscalls print "NR 1 = 5" and "NR 1 (3, 7f00, 5, …)".
    if words.count >= 2, words[0] == "NR", let number = Int64(words[1]) {
      guard words.count >= 4, words[2] == "=", let result = Int64(words[3]) else {
        return [("id", .integer(number))]
      }
      return [("id", .integer(number)), ("ret", .integer(result))]
    }
    var values: [(name: String, text: String)] = []
    for word in words where word != "==>" {
      if let sign = word.firstIndex(of: "="), sign != word.startIndex {
        values.append((String(word[..<sign]), String(word[word.index(after: sign)...])))
      } else if let last = values.indices.last, !word.hasPrefix("[") {
        // A name with a space in it.
        values[last].text += " " + word
      }
    }
    return values.map { name, text in
      (name, name == "prev_state" ? .integer(Self.state(text)) : Value(text))
    }
  }

  enum Value {
    case integer(Int64)
    case text(String)

    init(_ text: String) {
      if let number = Int64(text) {
        self = .integer(number)
      } else if text.hasPrefix("0x"), let number = UInt64(text.dropFirst(2), radix: 16) {
        self = .integer(Int64(bitPattern: number))
      } else {
        self = .text(text)
      }
    }
  }

  /// The letters of TASK_STATE_TO_CHAR_STR; "+" is a preemption (include/trace/events/sched.h).
  private static func state(_ text: String) -> Int64 {
    var state: Int64 = 0
    for letter in text {
      switch letter {
      case "S": state |= 1
      case "D": state |= 2
      case "T": state |= 4
      case "t": state |= 8
      case "X": state |= 0x10
      case "Z": state |= 0x20
      case "P": state |= 0x40
      case "I": state |= 0x80
      case "+": state |= 0x100
      default: break
      }
    }
    return state
  }
}
