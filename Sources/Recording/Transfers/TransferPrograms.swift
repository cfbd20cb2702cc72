import PerfData

/// The programs that count in the kernel what a target sends and receives.
enum TransferPrograms {
  /// How a map's value is laid out: for sends, then for receives.
  enum Count {
    static let calls = 0
    static let transfers = 8
    static let bytes = 16
    static let size = 24
  }

  /// When transfers of a direction count: from a time on, and until one, by the monotonic clock; all of them where the
  /// first is 0, since to ask for the time takes longer than to count.
  enum Window {
    static let since = 0
    static let until = 8
    static let size = 16
  }

  private static let internetFamilies: [Int32] = [2, 10]
  private static let peek: Int32 = 2
  private static let newThread: Int32 = 0x1_0000

  /// Counts the calls of the processes in the map, and those that sent or received something on the internet's sockets.
  ///
  /// Each program gives 1: whoever else listens to its tracepoint is to hear of the event.
  static func counting(
    _ format: TracepointFormat, isSend: Bool, counts: Int32, windows: Int32
  ) -> BPFProgram? {
    guard let result = field("ret", of: format), let family = field("family", of: format),
      let flags = field("flags", of: format)
    else { return nil }
    var program = BPFProgram()
    let (none, counted, out) = (program.label(), program.label(), program.label())
    let (internet, inside) = (program.label(), program.label())
    // Register 7: the bytes of a transfer, 0 if it was none.
    program.load(7, result.width, from: 1, result.offset)
    program.compute(7, .shiftLeft, 32)
    program.compute(7, .shiftRightSigned, 32)
    program.load(8, family.width, from: 1, family.offset)
    program.load(6, flags.width, from: 1, flags.offset)
    for number in internetFamilies { program.jump(to: internet, if: 8, .equal, number) }
    program.compute(7, .move, 0)
    program.place(internet)
    // A peek takes nothing out of the socket.
    if !isSend {
      program.compute(6, .and, peek)
      program.jump(to: none, if: 6, .notEqual, 0)
    }
    program.jump(to: counted, if: 7, .greaterSigned, 0)
    program.place(none)
    program.compute(7, .move, 0)
    program.place(counted)

    lookUpProcess(&program, counts, otherwise: out)
    program.compute(9, .move, by: 0)
    program.store(value: isSend ? 0 : 1, .four, to: 10, -8)
    program.load(1, map: windows)
    program.compute(2, .move, by: 10)
    program.compute(2, .add, -8)
    program.call(.lookUp)
    program.jump(to: out, if: 0, .equal, 0)
    program.load(6, .eight, from: 0, Window.since)
    program.load(8, .eight, from: 0, Window.until)
    program.jump(to: inside, if: 6, .equal, 0)
    program.call(.time)
    program.jump(to: out, if: 0, .less, than: 6)
    program.jump(to: out, if: 0, .greaterOrEqual, than: 8)
    program.place(inside)

    let base = isSend ? 0 : Count.size
    add(&program, base + Count.calls) { $0.compute(1, .add, 1) }
    program.jump(to: out, if: 7, .equal, 0)
    add(&program, base + Count.transfers) { $0.compute(1, .add, 1) }
    add(&program, base + Count.bytes) { $0.compute(1, .add, by: 7) }
    leave(&program, out)
    return program
  }

  /// Puts the processes that those in the map create into it, before they run.
  static func following(_ format: TracepointFormat, counts: Int32) -> BPFProgram? {
    guard let pid = field("pid", of: format), let flags = field("clone_flags", of: format)
    else { return nil }
    var program = BPFProgram()
    let out = program.label()
    program.load(7, flags.width, from: 1, flags.offset)
    program.load(8, pid.width, from: 1, pid.offset)
    program.compute(7, .and, newThread)
    program.jump(to: out, if: 7, .notEqual, 0)
    lookUpProcess(&program, counts, otherwise: out)
    program.store(8, .four, to: 10, -4)
    let value = -8 - 2 * Count.size
    for offset in stride(from: value, to: -8, by: 8) {
      program.store(value: 0, .eight, to: 10, offset)
    }
    program.load(1, map: counts)
    program.compute(2, .move, by: 10)
    program.compute(2, .add, -4)
    program.compute(3, .move, by: 10)
    program.compute(3, .add, Int32(value))
    // BPF_NOEXIST.
    program.compute(4, .move, 1)
    program.call(.update)
    leave(&program, out)
    return program
  }

  private static func field(
    _ name: String, of format: TracepointFormat
  ) -> (width: BPFProgram.Width, offset: Int)? {
    guard let field = format.field(name), let width = BPFProgram.Width(bytes: field.size)
    else { return nil }
    return (width, field.offset)
  }

  /// Register 0: the value of the process that runs, in the map.
  private static func lookUpProcess(
    _ program: inout BPFProgram, _ counts: Int32, otherwise out: BPFProgram.Label
  ) {
    program.call(.processAndThread)
    program.compute(0, .shiftRight, 32)
    program.store(0, .four, to: 10, -4)
    program.load(1, map: counts)
    program.compute(2, .move, by: 10)
    program.compute(2, .add, -4)
    program.call(.lookUp)
    program.jump(to: out, if: 0, .equal, 0)
  }

  /// Changes a number of the value that register 9 has; nobody else has this CPU's.
  private static func add(
    _ program: inout BPFProgram, _ offset: Int, _ change: (inout BPFProgram) -> Void
  ) {
    program.load(1, .eight, from: 9, offset)
    change(&program)
    program.store(1, .eight, to: 9, offset)
  }

  private static func leave(_ program: inout BPFProgram, _ out: BPFProgram.Label) {
    program.place(out)
    program.compute(0, .move, 1)
    program.exit()
  }
}
