/// Finds waits for signals, which end by nothing else.
public enum SignalWaits {
  private static let kernel = [
    "do_sigtimedwait", "sigsuspend", "__x64_sys_rt_sigsuspend", "__x64_sys_pause",
    "__arm64_sys_rt_sigsuspend",
  ]
  private static let library: Set = ["sigtimedwait", "sigsuspend", "pause"]

  /// Whether a thread with such frames, innermost first, waited for a signal.
  public static func contains(_ frames: [Frame]) -> Bool {
    let inKernel = frames.prefix { $0.isKernel }.compactMap(\.function)
    if inKernel.contains(where: kernel.contains) { return true }
    return LibraryWaits.function(of: Array(frames.drop { $0.isKernel }))
      .map(library.contains) ?? false
  }
}
