import PerfData

/// System calls that came back at once with nothing.
enum SpinCallDecoder {
  /// arch/x86/entry/syscalls/syscall_64.tbl
  private enum Number {
    static let poll = 7, yield = 24, semtimedop = 220, epollWait = 232, epollPwait = 281
    /// Those of which EAGAIN says that they would have to wait, as recorders take them. Of others, which earlier ones
    /// took too, it says that a value has changed (futex), a time is over (rt_sigtimedwait) or there is no more to be
    /// had (clone, mmap).
    static let attempts: Set<Int> = [
      0, 1, 17, 18, 19, 20, 40, 42, 43, 44, 45, 46, 47, 65, 69, 72, 73, semtimedop, 242, 243, 275,
      276, 278, 288, 295, 296, 299, 307, 318, 327, 328,
    ]
  }

  /// perf's register numbers (arch/x86/include/uapi/asm/perf_regs.h).
  private enum Register {
    static let dx = 3, r10 = 18
  }

  static func sysExit(_ context: DecodingContext, _ state: inout LoaderState) {
    guard let number = context.integer("id"), let result = context.integer("ret") else { return }
    func isZero(_ register: Int) -> Bool {
      context.userRegister(register).map { Int32(truncatingIfNeeded: $0) == 0 } ?? false
    }
    let architecture = context.file.features.architecture
    let isX86 = architecture == nil || architecture == "x86_64"
    let kind: SpinCall.Kind
    switch Int(number) {
    case Number.yield: kind = .yield
    case Number.poll where result == 0 && isZero(Register.dx): kind = .emptyPoll
    case Number.epollWait where result == 0 && isZero(Register.r10),
      Number.epollPwait where result == 0 && isZero(Register.r10):
      kind = .emptyPoll
    // EAGAIN; of other processors recorders alone choose.
    case _ where result == -11 && !isX86: kind = .wouldBlock
    // It may have waited for its time.
    case Number.semtimedop where result == -11 && !isZero(Register.r10): return
    case _ where result == -11 && Number.attempts.contains(Int(number)): kind = .wouldBlock
    default: return
    }
    state.tables.spinCalls.append(
      SpinCall(
        time: context.time, pid: context.pid, tid: context.tid, kind: kind,
        weight: state.weights.weight(of: context)))
  }
}
