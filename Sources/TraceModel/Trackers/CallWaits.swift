/// Tells what a thread waits for by the system call that it is in, where its stack was not recorded.
struct CallWaits {
  /// By the calls' numbers.
  private let causes: ContiguousArray<WaitCause?>

  /// The names of calls that the C library's functions have not; see `LibraryWaits` for the others.
  private static let kernelNames: [String: WaitCause] = [
    "rt_sigsuspend": .eventWait, "rt_sigtimedwait": .eventWait, "pselect6": .eventWait,
    "io_uring_enter": .eventWait, "io_getevents": .eventWait, "io_pgetevents": .eventWait,
    "futex": .lock, "futex_wait": .lock, "futex_waitv": .lock,
    "renameat": .file, "renameat2": .file, "unlinkat": .file, "openat2": .file,
  ]
  /// Linux 6.18 has fewer.
  private static let numbers: Int32 = 512

  /// Knows the calls of an architecture, if their names are known.
  init(architecture: String?) {
    causes = ContiguousArray(
      (0..<Self.numbers).map { number in
        guard let name = SystemCall.knownName(of: number, architecture: architecture) else {
          return nil
        }
        return Self.kernelNames[name] ?? LibraryWaits.causes[name] ?? .other
      })
  }

  /// Nil for a call that is not known.
  @inline(__always)
  func cause(of number: Int32) -> WaitCause? {
    number >= 0 && number < causes.count ? causes[Int(number)] : nil
  }
}
