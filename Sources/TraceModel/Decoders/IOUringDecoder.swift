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
        kind: isSync ? .sync : .write, path: nil, target: nil,
        bytes: isSync ? 0 : UInt64(result), weight: 1,
        duration: isSync ? context.time - request.submitted : nil),
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
