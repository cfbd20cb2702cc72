import PerfData
import Quantities

/// System calls by their exits: on x86-64 the argument registers still hold the arguments.
enum SystemCallDecoder {
  /// arch/x86/entry/syscalls/syscall_64.tbl
  private enum Number {
    static let read = 0, pread64 = 17, readv = 19, preadv = 295, preadv2 = 327
    static let write = 1, open = 2, close = 3, pwrite64 = 18, writev = 20, sendfile = 40
    static let msync = 26, fsync = 74, fdatasync = 75, truncate = 76, ftruncate = 77
    static let chdir = 80, fchdir = 81
    static let dup = 32, dup2 = 33, dup3 = 292, fcntl = 72
    static let creat = 85, openat = 257, splice = 275, syncFileRange = 277
    static let socket = 41, accept = 43, accept4 = 288
    static let pwritev = 296, pwritev2 = 328, copyFileRange = 326, openat2 = 437
    static let sync = 162, syncfs = 306, ioSubmit = 209
    static let ioUringSetup = 425
  }

  private static let decoded: Set<Int> = [
    Number.read, Number.pread64, Number.readv, Number.preadv, Number.preadv2, Number.write,
    Number.open, Number.close, Number.pwrite64,
    Number.writev, Number.sendfile, Number.msync, Number.fsync, Number.fdatasync,
    Number.ftruncate, Number.creat, Number.openat, Number.splice, Number.syncFileRange,
    Number.pwritev, Number.pwritev2, Number.copyFileRange, Number.openat2, Number.dup, Number.dup2,
    Number.dup3, Number.fcntl, Number.socket, Number.accept, Number.accept4, Number.chdir,
    Number.fchdir, Number.sync, Number.syncfs, Number.ioSubmit,
    Number.ioUringSetup,
  ]

  /// perf's register numbers (arch/x86/include/uapi/asm/perf_regs.h).
  private enum Register {
    static let dx = 3, si = 4, di = 5, r10 = 18
  }

  /// F_DUPFD and F_DUPFD_CLOEXEC (linux/fcntl.h).
  private static let duplicatingCommands: Set<UInt64> = [0, 1030]

  private static let truncateFlag: UInt64 = 0o1000

  /// MS_SYNC: without it msync only checks its arguments.
  private static let waitsForStorage: UInt64 = 4

  private static let reads: Set<Int> = [
    Number.read, Number.pread64, Number.readv, Number.preadv, Number.preadv2,
  ]

  /// Of smaller reads Lull records those of files; what others record has those of sockets and pipes too, and seldom
  /// tells which are which.
  private static let largeRead: Int64 = 64 << 10

  /// The calls that tell something here, by their results.
  static let telling = CallFilter { number in
    if reads.contains(number) { return 1 }
    return decoded.contains(number) ? 0 : nil
  }

  /// A call's end, with the sample of it where that holds more.
  private struct Exit {
    let pid: Int32
    let tid: Int32
    let time: Timestamp
    let number: Int32
    let result: Int64
    var context: DecodingContext?

    /// How many calls it stands for.
    var weight: UInt64 { context?.weight ?? 1 }

    func argument(_ register: Int) -> UInt64? { context?.userRegister(register) }

    func descriptor(_ register: Int) -> Int? {
      argument(register).map { Int(Int32(truncatingIfNeeded: $0)) }
    }
  }

  static func sysEnter(_ context: DecodingContext, _ state: inout LoaderState) {
    guard let number = context.integer("id") else { return }
    entered(
      pid: context.pid, tid: context.tid, number: Int32(truncatingIfNeeded: number),
      at: context.time, &state)
  }

  @inline(__always)
  static func entered(
    pid: Int32, tid: Int32, number: Int32, at time: Timestamp, _ state: inout LoaderState
  ) {
    state.calls.enter(pid: pid, tid: tid, number: number, at: time)
    if let waits = state.callWaits {
      state.schedule.isInCall(tid: tid, waitingFor: waits.cause(of: number))
    }
  }

  static func sysExit(_ context: DecodingContext, _ state: inout LoaderState) {
    guard let number = context.integer("id"), let result = context.integer("ret") else { return }
    ended(
      Exit(
        pid: context.pid, tid: context.tid, time: context.time,
        number: Int32(truncatingIfNeeded: number), result: result, context: context), &state)
  }

  /// Of a sample that holds nothing more.
  static func sysExit(
    pid: Int32, tid: Int32, number: Int32, result: Int64, at time: Timestamp,
    _ state: inout LoaderState
  ) {
    ended(Exit(pid: pid, tid: tid, time: time, number: number, result: result), &state)
  }

  @inline(__always)
  private static func ended(_ exit: Exit, _ state: inout LoaderState) {
    if state.countsCalls {
      state.calls.exit(
        pid: exit.pid, tid: exit.tid, number: exit.number, hasFailed: exit.result < 0,
        at: exit.time)
      if let waits = state.callWaits { left(exit, waits, &state) }
    }
    if telling.contains(exit.number, exit.result) { told(exit, &state) }
  }

  /// A wait in a call whose beginning was not recorded is told by its end.
  @inline(__always)
  private static func left(_ exit: Exit, _ waits: CallWaits, _ state: inout LoaderState) {
    state.schedule.isInCall(tid: exit.tid, waitingFor: nil)
    if let cause = waits.cause(of: exit.number) {
      state.schedule.leftCall(tid: exit.tid, waitingFor: cause, at: exit.time)
    }
  }

  /// A call that returned something that counts here.
  private static func told(_ exit: Exit, _ state: inout LoaderState) {
    let number = Int(exit.number)
    func add(
      _ kind: FileOperation.Kind, on fd: Int?, bytes: Int64, since: Timestamp? = nil,
      offset: UInt64? = nil, of name: String? = nil
    ) {
      // The last call of a copy tells only that its source has ended.
      guard kind != .write || bytes > 0 else { return }
      let weight =
        kind == .write && number != Number.splice
        ? state.weights.weight(ofWrite: exit.weight, at: exit.time.nanoseconds)
        : state.weights.weight(exit.weight, at: exit.time.nanoseconds)
      state.operations.append(
        FileOperation(
          time: exit.time, pid: exit.pid, tid: exit.tid, kind: kind, path: name,
          target: name == nil ? nil : .regular, bytes: UInt64(max(bytes, 0)), weight: weight,
          duration: since.map { exit.time - $0 }, offset: offset, call: exit.number),
        descriptor: fd)
    }
    func opened(flags: UInt64?) {
      state.descriptors.open(
        pid: exit.pid, fd: Int(exit.result), isFile: true, flags: flags, at: exit.time)
      if let flags {
        add(.open(truncates: flags & truncateFlag != 0), on: Int(exit.result), bytes: 0)
      }
    }

    switch number {
    case Number.read, Number.pread64, Number.readv, Number.preadv, Number.preadv2:
      guard exit.result >= largeRead || state.capture != nil else { return }
      add(.read, on: exit.descriptor(Register.di), bytes: exit.result)
    case Number.pwrite64, Number.pwritev, Number.pwritev2:
      add(
        .write, on: exit.descriptor(Register.di), bytes: exit.result,
        offset: exit.argument(Register.r10))
    case Number.write, Number.writev, Number.sendfile:
      add(.write, on: exit.descriptor(Register.di), bytes: exit.result)
    case Number.copyFileRange:
      add(.write, on: exit.descriptor(Register.dx), bytes: exit.result)
    case Number.splice:
      add(.write, on: exit.descriptor(Register.dx), bytes: exit.result)
      if let fd = exit.descriptor(Register.di) {
        SocketDecoder.spliced(
          pid: exit.pid, tid: exit.tid, fd: fd, bytes: UInt64(max(exit.result, 0)),
          weight: state.weights.weight(exit.weight, at: exit.time.nanoseconds), at: exit.time,
          &state)
      }
    case Number.socket, Number.accept, Number.accept4:
      state.descriptors.open(pid: exit.pid, fd: Int(exit.result), at: exit.time)
      let first = exit.descriptor(Register.di)
      if number != Number.socket {
        let listener = first.flatMap { state.descriptorSockets.socket(pid: exit.pid, fd: $0) }
        if listener.map({ Transfer.isInternet($0.family) }) != false {
          state.sockets.accepted(by: exit.pid, at: exit.time)
        }
      }
      guard let first else { return }
      if number == Number.socket {
        state.descriptorSockets.made(
          pid: exit.pid, tid: exit.tid, fd: Int(exit.result), family: first)
      } else {
        state.descriptorSockets.accepted(pid: exit.pid, fd: Int(exit.result), listener: first)
      }
    case Number.fsync, Number.fdatasync:
      add(
        .sync, on: exit.descriptor(Register.di), bytes: 0,
        since: state.syncStarts.removeValue(forKey: exit.tid))
    case Number.syncFileRange: add(.sync, on: exit.descriptor(Register.di), bytes: 0)
    // What these put on storage has no one path.
    case Number.msync:
      if exit.argument(Register.dx).map({ $0 & waitsForStorage != 0 }) == true {
        add(.sync, on: nil, bytes: 0, of: "(mapped files)")
      }
    case Number.sync: add(.sync, on: nil, bytes: 0, of: "(all files)")
    case Number.syncfs: add(.sync, on: nil, bytes: 0, of: "(all files of a file system)")
    case Number.ioSubmit:
      state.unseen.note(
        .submitted(UInt64(max(exit.result, 0)) &* exit.weight), pid: exit.pid, at: exit.time)
    // What goes through it has events of its own, but not within the process, where this is told.
    case Number.ioUringSetup: state.unseen.note(.ring, pid: exit.pid, at: exit.time)
    case Number.ftruncate: add(.truncate, on: exit.descriptor(Register.di), bytes: 0)
    case Number.open: opened(flags: exit.argument(Register.si))
    case Number.openat: opened(flags: exit.argument(Register.dx))
    case Number.creat: opened(flags: truncateFlag)
    case Number.openat2: opened(flags: nil)
    case Number.dup, Number.dup2, Number.dup3, Number.fcntl:
      guard let fd = exit.descriptor(Register.di),
        number != Number.fcntl
          || exit.argument(Register.si).map(duplicatingCommands.contains) == true
      else { return }
      state.descriptors.duplicate(pid: exit.pid, from: fd, to: Int(exit.result), at: exit.time)
    case Number.chdir, Number.fchdir: state.folders.left(exit.pid)
    case Number.close:
      if let fd = exit.descriptor(Register.di) {
        state.descriptors.close(pid: exit.pid, fd: fd, at: exit.time)
        state.descriptorSockets.closed(pid: exit.pid, fd: fd)
      }
    default: break
    }
  }

  static func syncEnter(_ context: DecodingContext, _ state: inout LoaderState) {
    state.syncStarts[context.tid] = context.time
  }
}
