import Foundation

/// What the kernel charged this process with, as it asks itself at its end.
struct Usage: Encodable {
  let cpuSeconds: Double
  let minorFaults: Int
  let majorFaults: Int
  let peakResidentBytes: Int
  let voluntarySwitches: Int
  let involuntarySwitches: Int
  /// Bytes handed to write and its like, to anything.
  let writtenBytes: Int
  /// Bytes that were made to go to storage.
  let storageBytes: Int

  /// The present figures, from getrusage and /proc.
  init() {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    cpuSeconds = seconds(usage.ru_utime) + seconds(usage.ru_stime)
    minorFaults = usage.ru_minflt
    majorFaults = usage.ru_majflt
    voluntarySwitches = usage.ru_nvcsw
    involuntarySwitches = usage.ru_nivcsw
    // Not ru_maxrss, which an exec does not forget.
    peakResidentBytes = Self.field("VmHWM", of: "/proc/self/status") * 1024
    writtenBytes = Self.field("wchar", of: "/proc/self/io")
    storageBytes = Self.field("write_bytes", of: "/proc/self/io")
  }

  private static func field(_ name: String, of path: String) -> Int {
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") } ?? ""
    return Int(
      line.dropFirst(name.count + 1).drop { $0 == " " || $0 == "\t" }.prefix {
        $0.isNumber
      }) ?? -1
  }
}
