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
    let words = line.split(separator: " ", omittingEmptySubsequences: true)
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
