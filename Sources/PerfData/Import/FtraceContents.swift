/// What a file of trace-cmd says before its events: trace-cmd.dat(5), versions 6 and 7.
struct FtraceContents {
  /// The pages of one CPU's ring buffer.
  struct Pages {
    var cpu: Int32
    var range: Range<Int>
    var isCompressed: Bool
  }

  /// 17 08 44 "tracing".
  static let magic: [UInt8] = [0x17, 0x08, 0x44] + Array("tracing".utf8)

  var isBigEndian = false
  var pageSize = 4096
  var longSize: UInt8 = 8
  /// Name of the compression of version 7; "none" where there is none.
  var compression = "none"
  var headerPage = ""
  var headerEvent = ""
  var formats: [TracingData.Format] = []
  var ftraceFormats: [String] = []
  /// Names of threads.
  var names: [(tid: Int32, name: String)] = []
  var uname: [Substring] = []
  var cpuCount: Int?
  var clock: String?
  /// From the clock's ticks to nanoseconds: multiplier, shift and offset.
  var tick: (multiplier: UInt32, shift: UInt32, offset: UInt64)?
  var pages: [Pages] = []
  /// Events that the kernel itself says were overwritten or dropped.
  var overrun: UInt64 = 0
  var problems: [String] = []

  static func matches(_ bytes: ByteView) -> Bool {
    bytes.count > magic.count && bytes.prefix(magic.count).elementsEqual(magic)
  }

  init(_ bytes: ByteView) throws(PerfDataError) {
    var cursor = ByteCursor(bytes, from: Self.magic.count, to: bytes.count)
    let version = try cursor.zeroTerminated("version of the file")
    isBigEndian = try cursor.read(UInt8.self, "byte order") != 0
    longSize = try cursor.read(UInt8.self, "size of a long")
    cursor.isBigEndian = isBigEndian
    let size = try cursor.u32("page size")
    guard size >= 64, size <= 1 << 20 else {
      throw PerfDataError(
        .malformed("a ring buffer's page of \(size) bytes cannot be"), offset: cursor.offset - 4)
    }
    pageSize = Int(size)
    switch version {
    case "6": try readSixth(&cursor)
    case "7": try readSeventh(&cursor)
    default:
      throw PerfDataError(
        .unsupported(
          "version \(version.prefix(8)) of trace-cmd's files is not read; versions 6 and 7 are: "
            + "trace-cmd convert --file-version 7"), offset: Self.magic.count)
    }
    guard !pages.isEmpty else {
      throw PerfDataError(
        .malformed("the file of trace-cmd holds no events"), offset: cursor.offset)
    }
  }
}

extension FtraceContents {
  /// "header_page", "header_event" and their texts.
  mutating func readHeaderInfo(_ cursor: inout ByteCursor) throws(PerfDataError) {
    for expected in ["header_page", "header_event"] {
      let offset = cursor.offset
      guard try cursor.zeroTerminated(expected) == expected else {
        throw PerfDataError(.malformed("\(expected) is missing"), offset: offset)
      }
      let text = try cursor.text(try cursor.u64("size of " + expected), expected)
      if expected == "header_page" { headerPage = text } else { headerEvent = text }
    }
  }

  mutating func readFtraceFormats(_ cursor: inout ByteCursor) throws(PerfDataError) {
    for _ in 0..<(try cursor.u32("count of ftrace's formats")) {
      ftraceFormats.append(try cursor.text(try cursor.u64("size of a format"), "format"))
    }
  }

  mutating func readFormats(_ cursor: inout ByteCursor) throws(PerfDataError) {
    for _ in 0..<(try cursor.u32("count of event systems")) {
      let system = try cursor.zeroTerminated("name of a system")
      for _ in 0..<(try cursor.u32("count of events")) {
        let text = try cursor.text(try cursor.u64("size of a format"), "format")
        formats.append(TracingData.Format(system: system, text: text))
      }
    }
  }

  /// Lines of "TID NAME".
  mutating func readNames(_ cursor: inout ByteCursor) throws(PerfDataError) {
    let text = try cursor.text(try cursor.u64("size of the names"), "names of threads")
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 1)
      guard parts.count == 2, let tid = Int32(parts[0]) else { continue }
      names.append((tid, String(parts[1])))
    }
  }

  /// An option that both versions have.
  mutating func readOption(_ number: Int, _ option: inout ByteCursor) throws(PerfDataError) {
    func text() throws(PerfDataError) -> String {
      try option.text(UInt64(option.remaining), "option")
    }
    switch number {
    case 2:
      // CPUSTAT: lines of a name and a number.
      for line in try text().split(separator: "\n") {
        let parts = line.split(separator: ":")
        guard parts.count == 2, parts[0] == "overrun" || parts[0] == "dropped events" else {
          continue
        }
        overrun &+= UInt64(parts[1].drop { $0 == " " }) ?? 0
      }
    case 4:
      // TRACECLOCK: all clocks, the one in use in brackets.
      let all = try text()
      if let open = all.firstIndex(of: "["), let close = all[open...].firstIndex(of: "]") {
        clock = String(all[all.index(after: open)..<close])
      }
    case 5: uname = try text().split(separator: " ").map { $0 }
    case 8: cpuCount = Int(try option.u32("count of CPUs"))
    case 14:
      tick = (
        try option.u32("multiplier"), try option.u32("shift"), try option.u64("offset")
      )
    default: break
    }
  }
}
