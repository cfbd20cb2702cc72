import PerfData
import Quantities

extension WakeupLog {
  /// A wakeup without its time, in few words, since each one is compared.
  struct Kind: Hashable, Sendable {
    /// Threads, and processes above them.
    private let woken: UInt64
    private let waking: UInt64
    private static var noCause: Int { 0xff }
    /// The context's and the wait's numbers, and whether the CPU was idle.
    private let how: UInt32

    @inline(__always)
    init(_ wakeup: Wakeup) {
      woken = Self.join(wakeup.tid, wakeup.pid)
      waking = Self.join(wakeup.waker, wakeup.wakerPid)
      let context: UInt32 =
        switch wakeup.context {
        case .task: 0
        case .softInterrupt: 1
        case .hardInterrupt: 2
        case .unknown: 3
        }
      let waited = UInt32(truncatingIfNeeded: wakeup.waited?.rank ?? Self.noCause)
      how = context | waited << 8 | (wakeup.cpuWasIdle ? 1 << 16 : 0)
    }

    @inline(__always)
    private static func join(_ tid: Int32, _ pid: Int32) -> UInt64 {
      UInt64(UInt32(bitPattern: tid)) | UInt64(UInt32(bitPattern: pid)) << 32
    }

    @inline(__always)
    var hint: Int {
      Int(truncatingIfNeeded: woken &* 31 ^ waking &* 0x2_0003 ^ UInt64(how) << 40)
    }

    var pid: Int32 { Int32(truncatingIfNeeded: woken >> 32) }

    func wakeup(at time: UInt64) -> Wakeup {
      let context: Wakeup.Context =
        switch how & 3 {
        case 0: .task
        case 1: .softInterrupt
        case 2: .hardInterrupt
        default: .unknown
        }
      let waited = Int(how >> 8 & 0xff)
      return Wakeup(
        time: Timestamp(nanoseconds: time), tid: Int32(truncatingIfNeeded: woken), pid: pid,
        waker: Int32(truncatingIfNeeded: waking), wakerPid: Int32(truncatingIfNeeded: waking >> 32),
        context: context,
        waited: waited < Self.noCause ? WaitCause(rank: waited) : nil,
        cpuWasIdle: how >> 16 != 0)
    }
  }
}
