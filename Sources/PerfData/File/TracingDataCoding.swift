extension TracingData {
  /// Reads the section's bytes: the format that perf took over from trace-cmd.
  init(_ cursor: inout ByteCursor) throws(PerfDataError) {
    let start = cursor.offset
    let magic = try cursor.array(10, "tracing data's magic")
    guard magic == Self.magic else {
      throw PerfDataError(.malformed("tracing data has the wrong magic"), offset: start)
    }
    let version = try cursor.zeroTerminated("tracing data's version")
    cursor.isBigEndian = try cursor.read(UInt8.self, "tracing data's endianness") != 0
    self.init()
    longSize = try cursor.read(UInt8.self, "size of long")
    pageSize = try cursor.u32("page size")
    headerPage = try Self.block(&cursor, named: "header_page")
    headerEvent = try Self.block(&cursor, named: "header_event")
    for _ in 0..<(try cursor.u32("number of ftrace formats")) {
      ftraceFormats.append(try Self.sized(&cursor, "ftrace format"))
    }
    for _ in 0..<(try cursor.u32("number of event systems")) {
      let system = try cursor.zeroTerminated("event system's name")
      for _ in 0..<(try cursor.u32("number of formats")) {
        formats.append(Format(system: system, text: try Self.sized(&cursor, "event format")))
      }
    }
    // What follows is of no use to Lull and may be cut: it is kept when it is there.
    guard cursor.remaining >= 4 else { return }
    kallsyms = try cursor.array(UInt64(try cursor.u32("size of kallsyms")), "kallsyms")
    guard cursor.remaining >= 4 else { return }
    printk = try cursor.array(UInt64(try cursor.u32("size of printk formats")), "printk formats")
    guard version != "0.5", cursor.remaining >= 8 else { return }
    savedCmdlines = try cursor.array(try cursor.u64("size of saved names"), "saved names")
  }

  private static let magic: [UInt8] = [23, 8, 68] + Array("tracing".utf8)

  private static func block(
    _ cursor: inout ByteCursor, named name: String
  ) throws(PerfDataError) -> String {
    let offset = cursor.offset
    guard try cursor.zeroTerminated(name) == name else {
      throw PerfDataError(.malformed("tracing data lacks \(name)"), offset: offset)
    }
    return try sized(&cursor, name)
  }

  private static func sized(
    _ cursor: inout ByteCursor, _ what: String
  ) throws(PerfDataError) -> String {
    let size = try cursor.u64("size of " + what)
    return String(decoding: cursor.bytes[try cursor.range(size, what)], as: UTF8.self)
  }

  /// The layouts by event id.
  func tracepoints() -> [Int: TracepointFormat] {
    var result: [Int: TracepointFormat] = [:]
    let all = ftraceFormats.map { Format(system: "ftrace", text: $0) } + formats
    for format in all {
      guard let parsed = TracepointFormat(parsing: format.text, system: format.system) else {
        continue
      }
      result[parsed.id] = parsed
    }
    return result
  }

  /// The section's bytes, version 0.6.
  var encoded: [UInt8] {
    var output = ByteBuilder()
    output.append(contentsOf: Self.magic)
    output.appendString("0.6")
    output.append(UInt8(0))
    output.append(longSize)
    output.append(pageSize)
    for (name, text) in [("header_page", headerPage), ("header_event", headerEvent)] {
      output.appendString(name)
      Self.append(text, to: &output)
    }
    output.append(UInt32(ftraceFormats.count))
    for text in ftraceFormats { Self.append(text, to: &output) }
    var systems: [String] = []
    for format in formats where !systems.contains(format.system) { systems.append(format.system) }
    output.append(UInt32(systems.count))
    for system in systems {
      output.appendString(system)
      let texts = formats.filter { $0.system == system }
      output.append(UInt32(texts.count))
      for format in texts { Self.append(format.text, to: &output) }
    }
    output.append(UInt32(kallsyms.count))
    output.append(contentsOf: kallsyms)
    output.append(UInt32(printk.count))
    output.append(contentsOf: printk)
    output.append(UInt64(savedCmdlines.count))
    output.append(contentsOf: savedCmdlines)
    return output.bytes
  }

  private static func append(_ text: String, to output: inout ByteBuilder) {
    output.append(UInt64(text.utf8.count))
    output.append(contentsOf: text)
  }
}
