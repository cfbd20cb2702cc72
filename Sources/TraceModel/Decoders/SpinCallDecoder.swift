import PerfData

/// System calls that came back at once with nothing.
enum SpinCallDecoder {
  /// arch/x86/entry/syscalls/syscall_64.tbl
  private enum Number {
    static let poll = 7, yield = 24, epollWait = 232, epollPwait = 281
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
    let kind: SpinCall.Kind
    switch Int(number) {
    case Number.yield: kind = .yield
    case Number.poll where result == 0 && isZero(Register.dx): kind = .emptyPoll
    case Number.epollWait where result == 0 && isZero(Register.r10),
      Number.epollPwait where result == 0 && isZero(Register.r10):
      kind = .emptyPoll
    // EAGAIN
    case _ where result == -11: kind = .wouldBlock
    default: return
    }
    state.tables.spinCalls.append(
      SpinCall(
        time: context.time, pid: context.pid, tid: context.tid, kind: kind,
        weight: state.weights.weight(of: context)))
  }
}
