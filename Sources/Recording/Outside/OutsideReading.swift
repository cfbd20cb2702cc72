import Glibc

/// What /proc tells of a thread's time at one moment (`schedstat`).
struct OutsideReading: Equatable {
  /// When it was read, by the monotonic clock, in nanoseconds.
  var time: UInt64
  /// Nanoseconds on a CPU so far; of a thread that is on one as of the kernel's last tick.
  var processor: UInt64
  /// Nanoseconds in queues for a CPU so far.
  var queued: UInt64
  /// How often it was given a CPU.
  var arrivals: UInt64
}

/// Where a thread waits (`syscall`).
struct OutsideCall: Equatable {
  /// The system call's number; -1 out of calls, as in a page fault, and nil where only the kernel's function is known.
  var number: Int?
  /// The first two of its arguments.
  var first: UInt64 = 0
  var second: UInt64 = 0
  var stackPointer: UInt64 = 0
  var instruction: UInt64 = 0
  /// The kernel's function that it is in, where that was asked for (`wchan`).
  var function: String?
}

/// What a look finds a thread doing.
enum OutsideState: Equatable {
  /// On a CPU, or in the queue for one.
  case running
  case waiting(OutsideCall)
  /// It has ended, though it still has its id.
  case ended
}

/// The files of one thread that are read again and again.
final class OutsideFiles {
  private let folder: String
  private let times: OwnedDescriptor
  private let call: OwnedDescriptor
  /// Which call a thread is in may be told to those alone who might trace it.
  private(set) var isCallForbidden = false

  /// How many descriptors it takes.
  static let descriptors = 2

  init?(pid: Int32, tid: Int32) {
    folder = "/proc/\(pid)/task/\(tid)"
    guard let times = OwnedDescriptor(opening: folder + "/schedstat"),
      let call = OwnedDescriptor(opening: folder + "/syscall")
    else { return nil }
    self.times = times
    self.call = call
  }

  /// Its times; nil when it has ended.
  func reading(_ buffer: UnsafeMutableRawBufferPointer) -> OutsideReading? {
    let count = pread(times.number, buffer.baseAddress, buffer.count, 0)
    guard count > 0 else { return nil }
    var scanner = NumberScanner(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    guard let processor = scanner.decimal(), let queued = scanner.decimal(),
      let arrivals = scanner.decimal()
    else { return nil }
    return OutsideReading(
      time: SystemInfo.monotonicNanoseconds(), processor: processor, queued: queued,
      arrivals: arrivals)
  }

  /// What it does; nil when it has ended.
  func state(_ buffer: UnsafeMutableRawBufferPointer) -> OutsideState? {
    if isCallForbidden { return stateByFunction() }
    let count = pread(call.number, buffer.baseAddress, buffer.count, 0)
    guard count > 0 else {
      guard errno == EPERM || errno == EACCES else { return nil }
      isCallForbidden = true
      return stateByFunction()
    }
    return Self.parse(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
  }

  /// Reads `running`, `-1 SP PC`, or `NUMBER ARGUMENT×6 SP PC`.
  static func parse(_ bytes: UnsafeRawBufferPointer) -> OutsideState {
    var scanner = NumberScanner(bytes)
    if bytes.first == UInt8(ascii: "-") {
      scanner.skip(2)
      let (stackPointer, instruction) = (scanner.hexadecimal() ?? 0, scanner.hexadecimal() ?? 0)
      // What is left of a thread that has ended has no stack.
      if stackPointer == 0 { return .ended }
      return .waiting(
        OutsideCall(number: -1, stackPointer: stackPointer, instruction: instruction))
    }
    guard let number = scanner.decimal() else { return .running }
    let values = (0..<8).map { _ in scanner.hexadecimal() ?? 0 }
    return .waiting(
      OutsideCall(
        number: Int(clamping: number), first: values[0], second: values[1],
        stackPointer: values[6], instruction: values[7]))
  }

  private func stateByFunction() -> OutsideState? {
    guard let bytes = KernelFile.bytes(folder + "/wchan") else { return nil }
    let name = Self.functionName(bytes)
    return name.map { .waiting(OutsideCall(function: $0)) } ?? .running
  }

  /// The kernel's function that it waits in; nil where that is not told.
  var function: String? { KernelFile.bytes(folder + "/wchan").flatMap(Self.functionName) }

  private static func functionName(_ bytes: [UInt8]) -> String? {
    bytes.isEmpty || bytes.first == UInt8(ascii: "0") ? nil : String(decoding: bytes, as: UTF8.self)
  }

  /// Whether nothing but its id is left, by which whoever waits for it learns its status.
  var isEnded: Bool {
    KernelFile.bytes(folder + "/stat").flatMap { ProcessStatistics(parsing: $0[...]) }?.state == "Z"
  }

  /// Whether it is stopped, by a signal or by who traces it.
  var isStopped: Bool {
    KernelFile.bytes(folder + "/stat").flatMap { ProcessStatistics(parsing: $0[...]) }?.isStopped
      == true
  }

  /// How often it left its CPU by itself, to wait; nil where that cannot be read.
  var voluntarySwitches: UInt64? {
    KernelFile.bytes(folder + "/status").flatMap {
      ProcFields.field("voluntary_ctxt_switches:", of: $0[...]).flatMap(ProcFields.number)
    }
  }

  /// What it moved to and from storage; nil where that cannot be read.
  var storage: OutsideStorage? { KernelFile.bytes(folder + "/io").flatMap(OutsideStorage.init) }

  var name: String? { ProcessProbe.name(in: folder) }
}

/// Numbers with blanks between them.
struct NumberScanner {
  private let bytes: UnsafeRawBufferPointer
  private var place = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  mutating func skip(_ count: Int) { place += count }

  mutating func decimal() -> UInt64? {
    number(10) { $0 >= 48 && $0 <= 57 ? UInt64($0 - 48) : nil }
  }

  /// Of the form 0x7f.
  mutating func hexadecimal() -> UInt64? {
    while place < bytes.count, bytes[place] == 32 { place += 1 }
    guard place + 1 < bytes.count, bytes[place + 1] == UInt8(ascii: "x") else { return nil }
    place += 2
    return number(16) { byte in
      switch byte {
      case 48...57: UInt64(byte - 48)
      case 97...102: UInt64(byte - 87)
      default: nil
      }
    }
  }

  private mutating func number(_ base: UInt64, _ digit: (UInt8) -> UInt64?) -> UInt64? {
    while place < bytes.count, bytes[place] == 32 { place += 1 }
    var value: UInt64 = 0
    let start = place
    while place < bytes.count, let next = digit(bytes[place]) {
      value = value &* base &+ next
      place += 1
    }
    return place > start ? value : nil
  }
}
