import Glibc
import PerfData

/// What a trace's header says of this machine.
package enum SystemInfo {
  /// The base values of a trace's features: machine, kernel, CPUs, memory, clock.
  package static func features() -> FileFeatures {
    var features = FileFeatures()
    var names = utsname()
    if uname(&names) == 0 {
      features.hostname = text(names.nodename)
      features.osRelease = text(names.release)
      features.architecture = text(names.machine)
    }
    features.cpusOnline = positive(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    features.cpusAvailable = positive(sysconf(Int32(_SC_NPROCESSORS_CONF)))
    features.cpuDescription = cpuDescription(KernelFile.bytes("/proc/cpuinfo") ?? [])
    if let memory = KernelFile.bytes("/proc/meminfo") {
      features.totalMemoryBytes = ProcFields.kilobytes("MemTotal:", in: memory[...])
    }
    features.clockID = Int(CLOCK_MONOTONIC)
    features.clockResolutionNanoseconds = 1
    features.clockData = clockPair()
    return features
  }

  /// Now on the trace's clock, in nanoseconds.
  package static func monotonicNanoseconds() -> UInt64 { nanoseconds(CLOCK_MONOTONIC) }

  /// The two clocks at one instant: of several tries the one that took least.
  package static func clockPair() -> ClockData {
    var best = ClockData(wallNanoseconds: 0, clockNanoseconds: 0)
    var smallest = UInt64.max
    for _ in 0..<8 {
      let before = nanoseconds(CLOCK_MONOTONIC)
      let wall = nanoseconds(CLOCK_REALTIME)
      let after = nanoseconds(CLOCK_MONOTONIC)
      let width = after &- before
      if width < smallest {
        smallest = width
        best = ClockData(wallNanoseconds: wall, clockNanoseconds: before + width / 2)
      }
    }
    return best
  }

  /// Switches of all CPUs since the machine was started (/proc/stat).
  static func contextSwitches() -> UInt64? {
    let lines = KernelFile.text("/proc/stat")?.split(separator: "\n")
    guard let line = lines?.first(where: { $0.hasPrefix("ctxt ") }) else { return nil }
    return UInt64(line.dropFirst(5))
  }

  /// The online CPUs' numbers, which may have gaps.
  package static func onlineCPUs() -> [Int32] {
    let listed = cpuList(KernelFile.text("/sys/devices/system/cpu/online") ?? "")
    if !listed.isEmpty { return listed }
    return (0..<Int32(clamping: max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))).map { $0 }
  }

  /// How many CPUs the machine may come to have: the kernel keeps what it counts for each CPU for so many.
  static func possibleCPUs() -> Int? {
    let listed = cpuList(KernelFile.text("/sys/devices/system/cpu/possible") ?? "")
    return listed.isEmpty ? nil : listed.count
  }

  /// Reads a list such as `0-3,8`.
  static func cpuList(_ text: String) -> [Int32] {
    text.split(whereSeparator: { $0 == "," || $0.isWhitespace }).flatMap { part -> [Int32] in
      let ends = part.split(separator: "-").compactMap { Int32($0) }
      guard let first = ends.first, let last = ends.last, first >= 0, first <= last,
        last < 65_536
      else { return [] }
      return Array(first...last)
    }
  }

  /// The model's name, or what stands for it on other machines.
  static func cpuDescription(_ information: [UInt8]) -> String? {
    var first: [String: String] = [:]
    ProcFields.forEachLine(of: information[...]) { line in
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
      let trimmed = { (bytes: ArraySlice<UInt8>) in
        String(decoding: bytes, as: UTF8.self)
          .split(whereSeparator: \.isWhitespace).joined(separator: " ")
      }
      let name = trimmed(line[..<colon])
      if first[name] == nil { first[name] = trimmed(line[(colon + 1)...]) }
    }
    for name in ["model name", "Model", "Processor", "cpu model", "uarch", "cpu"] {
      if let value = first[name], !value.isEmpty { return value }
    }
    if let part = first["CPU part"] {
      return "CPU implementer \(first["CPU implementer"] ?? "?") part \(part)"
    }
    return nil
  }

  static func nanoseconds(_ clock: Int32) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
  }

  private static func positive(_ value: Int) -> Int? { value > 0 ? value : nil }

  private static func text<Array>(_ array: Array) -> String {
    withUnsafeBytes(of: array) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}
