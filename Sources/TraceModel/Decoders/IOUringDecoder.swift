import PerfData
import Quantities

/// io_uring:* tracepoints: file writes and syncs that no system call's exit tells.
enum IOUringDecoder {
  /// A request between its submission and its completion.
  struct Request {
    var opcode: Int64
    var submitted: Timestamp
    /// Nil for a registered file, whose descriptor the kernel does not tell.
    var descriptor: Int?
  }

  // include/uapi/linux/io_uring.h
  private static let syncs: Set<Int64> = [3, 8]

  static func submitted(_ context: DecodingContext, _ state: inout LoaderState) {
    guard let request = context.integer("req"), let opcode = context.integer("opcode") else {
      return
    }
    state.ringRequests[request] = Request(opcode: opcode, submitted: context.time)
  }

  static func fileFound(_ context: DecodingContext, _ state: inout LoaderState) {
    guard let request = context.integer("req"), let fd = context.integer("fd") else { return }
    state.ringRequests[request]?.descriptor = Int(fd)
  }

  static func completed(_ context: DecodingContext, _ state: inout LoaderState) {
    guard let identity = context.integer("req"),
      let request = state.ringRequests.removeValue(forKey: identity),
      let result = context.integer("res"), result >= 0
    else { return }
    guard let descriptor = request.descriptor else {
      state.unseen.note(.registeredFile, pid: context.pid, at: context.time)
      return
    }
    let isSync = syncs.contains(request.opcode)
    state.operations.append(
      FileOperation(
        time: context.time, pid: context.pid, tid: context.tid,
        kind: isSync ? .sync : .write, path: nil, target: "unknown",
        bytes: isSync ? 0 : UInt64(result), weight: 1,
        duration: isSync ? context.time - request.submitted : .zero),
      descriptor: descriptor)
  }

  /// A file was mapped to be written through memory, which no event tells.
  static func mapped(_ context: DecodingContext, _ state: inout LoaderState) {
    guard let fd = context.integer("fd") else { return }
    state.unseen.note(
      .mapping(descriptor: Int(Int32(truncatingIfNeeded: fd))), pid: context.pid,
      at: context.time)
  }
}

/// Writes of which it is known that they are not counted.
struct UnseenWrites {
  enum Way {
    case registeredFile
    case mapping(descriptor: Int)
  }

  private var noted: [(pid: Int32, time: Timestamp, way: Way)] = []

  mutating func note(_ way: Way, pid: Int32, at time: Timestamp) {
    noted.append((pid, time, way))
  }

  /// What the report says of them, of one process.
  func explanations(
    of process: ProcessModel, descriptors: DescriptorTracker
  ) -> [CaptureEvent.Unavailable] {
    var registered = 0
    var paths: [String: Int] = [:]
    for entry in noted where entry.pid == process.pid && entry.time >= process.start {
      switch entry.way {
      case .registeredFile: registered += 1
      case .mapping(let descriptor):
        let target = descriptors.target(pid: process.pid, fd: descriptor, at: entry.time)
        if target.kind == "regular", let path = target.path { paths[path, default: 0] += 1 }
      }
    }
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
          reason: "\(registered) writes or syncs of registered files are not counted: the kernel"
            + " does not tell which file"))
    }
    return result
  }
}
