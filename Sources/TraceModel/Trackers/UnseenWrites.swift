import PerfData
import Quantities

/// Writes of which it is known that they are not counted.
struct UnseenWrites {
  enum Way {
    case registeredFile
    case mapping(descriptor: Int)
    /// By Linux's asynchronous calls (io_submit), of which no event tells what becomes of them.
    case submitted(UInt64)
    /// A ring of io_uring was made, where nothing else of it is seen.
    case ring
  }

  private var noted: [(pid: Int32, time: Timestamp, way: Way)] = []

  mutating func note(_ way: Way, pid: Int32, at time: Timestamp) {
    noted.append((pid, time, way))
  }

  /// What there was of them in one process, and how often each file was mapped.
  func ways(
    of process: ProcessModel, descriptors: DescriptorTracker
  ) -> (ways: UnseenWays, mapped: [String: Int]) {
    var ways = UnseenWays()
    var paths: [String: Int] = [:]
    for entry in noted where entry.pid == process.pid && entry.time >= process.start {
      switch entry.way {
      case .registeredFile: ways.registered += 1
      case .submitted(let requests): ways.submitted &+= requests
      case .ring: ways.rings += 1
      case .mapping(let descriptor):
        let target = descriptors.target(pid: process.pid, fd: descriptor, at: entry.time)
        if target.kind == .regular, let path = target.path { paths[path, default: 0] += 1 }
      }
    }
    ways.mapped = paths.keys.sorted()
    return (ways, paths)
  }

  /// What the report says of them.
  static func explanations(
    of ways: UnseenWays, mapped paths: [String: Int], isWithin: Bool
  ) -> [CaptureEvent.Unavailable] {
    let (registered, submitted) = (ways.registered, ways.submitted)
    var result = paths.sorted { $0.key < $1.key }.map { path, count in
      CaptureEvent.Unavailable(
        signal: "shared mappings",
        reason: "\(path) was mapped for writing (\(count)×): what is written so is not counted"
          + " by file, only in the bytes that reached storage")
    }
    if registered > 0 {
      result.append(
        CaptureEvent.Unavailable(
          signal: "io_uring",
          reason:
            "not counted: \(Figures.count(registered, "write or sync", "writes or syncs")) of registered files, "
            + "of which the kernel does not tell which"))
    }
    if submitted > 0 {
      result.append(
        CaptureEvent.Unavailable(
          signal: "Linux AIO",
          reason:
            "not counted: \(Figures.count(Int(clamping: submitted), "request")) by io_submit"
            + (isWithin ? " or POSIX AIO" : "") + ", of which nothing tells "
            + "whether they read, wrote or synced, and which files"))
    }
    return result
  }
}
