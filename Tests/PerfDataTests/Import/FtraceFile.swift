/// A file of trace-cmd, version 6, made byte by byte as trace-cmd.dat(5) has it.
struct FtraceFile {
  let isBigEndian: Bool
  private(set) var pages: [(cpu: Int, bytes: [UInt8])] = []

  static let pageSize = 4096
  /// sched_waking of a made-up kernel, number 77.
  static let format = """
    name: sched_waking
    ID: 77
    format:
    \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
    \tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;
    \tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;
    \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

    \tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;
    \tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;

    print fmt: ""

    """
  static let headerPage = """
    \tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;
    \tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;
    \tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;
    \tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;

    """

  init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

  func number<T: FixedWidthInteger>(_ value: T) -> [UInt8] {
    withUnsafeBytes(of: isBigEndian ? value.bigEndian : value.littleEndian) { Array($0) }
  }

  /// The word before an event: five bits of kind, 27 of time since the one before.
  func head(_ kind: UInt32, _ delta: UInt32) -> [UInt8] {
    number(isBigEndian ? kind << 27 | delta : kind | delta << 5)
  }

  func payload(tid: Int32, woken: Int32) -> [UInt8] {
    let name = Array("name".utf8)
    return number(UInt16(77)) + [0, 0] + number(tid) + name + [UInt8](repeating: 0, count: 12)
      + number(woken)
  }

  /// An event of 28 bytes, whose length is in its head.
  func event(_ delta: UInt32, tid: Int32, woken: Int32) -> [UInt8] {
    head(7, delta) + payload(tid: tid, woken: woken)
  }

  /// The same with its length in a word of its own.
  func longEvent(_ delta: UInt32, tid: Int32, woken: Int32) -> [UInt8] {
    head(0, delta) + number(UInt32(4 + 28)) + payload(tid: tid, woken: woken)
  }

  mutating func add(cpu: Int, time: UInt64, _ events: [UInt8], missed: UInt64? = nil) {
    var commit = UInt64(events.count)
    // RB_MISSED_EVENTS and RB_MISSED_STORED.
    if missed != nil { commit |= 1 << 31 | 1 << 30 }
    var bytes = number(time) + number(commit) + events
    if let missed { bytes += number(missed) }
    bytes += [UInt8](repeating: 0, count: Self.pageSize - bytes.count)
    pages.append((cpu, bytes))
  }

  var bytes: [UInt8] {
    var output: [UInt8] = [0x17, 0x08, 0x44] + Array("tracing6\0".utf8)
    output += [isBigEndian ? 1 : 0, 8] + number(UInt32(Self.pageSize))
    func text(_ text: String) -> [UInt8] { number(UInt64(text.utf8.count)) + Array(text.utf8) }
    output += Array("header_page\0".utf8) + text(Self.headerPage)
    output += Array("header_event\0".utf8) + text("")
    output += number(UInt32(0))
    output += number(UInt32(1)) + Array("sched\0".utf8) + number(UInt32(1)) + text(Self.format)
    output += number(UInt32(0)) + number(UInt32(0)) + text("5 five\n6 six\n")
    let cpus = (pages.map(\.cpu).max() ?? -1) + 1
    output += number(UInt32(cpus)) + Array("options  \0".utf8)
    let clock = Array("local [mono]\0".utf8)
    output += number(UInt16(4)) + number(UInt32(clock.count)) + clock
    output += number(UInt16(0)) + Array("flyrecord\0".utf8)
    var offset = (output.count + 16 * cpus + Self.pageSize - 1) / Self.pageSize * Self.pageSize
    var data: [UInt8] = []
    let start = offset
    for cpu in 0..<cpus {
      let own = pages.filter { $0.cpu == cpu }.flatMap(\.bytes)
      output += number(UInt64(offset)) + number(UInt64(own.count))
      offset += own.count
      data += own
    }
    return output + [UInt8](repeating: 0, count: start - output.count) + data
  }
}
