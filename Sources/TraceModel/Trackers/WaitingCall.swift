/// Tells in which system call a thread waited, by the stack that was taken there.
package enum WaitingCall {
  /// What the kernel's functions that begin a system call are named by, before the call's own name.
  private static let entries = ["__x64_sys_", "__arm64_sys_", "__se_sys_", "__do_sys_", "ksys_"]

  /// The call's name; nil where the stack shows none, as in a page fault.
  ///
  /// It is the kernel's own, or that of the C library's function where the kernel's functions were not recorded: within
  /// the process, one is told that stands for them.
  package static func name(of frames: [Frame]) -> String? {
    let kernel = frames.prefix { $0.isKernel }
    for frame in kernel.reversed() {
      guard let function = frame.function else { continue }
      for entry in entries where function.hasPrefix(entry) {
        return String(function.dropFirst(entry.count))
      }
    }
    guard kernel.count < 2, kernel.first?.function != WaitClassifier.outOfCalls else { return nil }
    return LibraryWaits.function(of: Array(frames.dropFirst(kernel.count)))
  }
}
