import CBPF
import PerfData

/// Calls into the kernel, the files that they name, and jobs.
extension KernelWriter {
  /// A call ended, or so many alike did.
  func tell(_ end: lull_kernel_call_record, spins: Bool) {
    append(spins ? spin : call) { [callPlaces, periodInCall, cpuInSample] record in
      record.storeBytes(of: end.pid, toByteOffset: Int(callPlaces.pid), as: Int32.self)
      record.storeBytes(of: end.tid, toByteOffset: Int(callPlaces.tid), as: Int32.self)
      record.storeBytes(of: end.head.time, toByteOffset: Int(callPlaces.time), as: UInt64.self)
      record.storeBytes(of: UInt32(end.head.cpu), toByteOffset: Int(cpuInSample), as: UInt32.self)
      record.storeBytes(
        of: UInt64(max(1, end.head.flags)), toByteOffset: Int(periodInCall), as: UInt64.self)
      let payload = record + Int(callPlaces.raw)
      // common_pid, id and ret.
      payload.storeBytes(of: end.tid, toByteOffset: 4, as: Int32.self)
      payload.storeBytes(of: UInt64(end.number), toByteOffset: 8, as: UInt64.self)
      payload.storeBytes(of: end.result, toByteOffset: 16, as: Int64.self)
      // Behind 24 bytes of it, and 4 to fill up, and the word that says how wide registers are.
      let registers = payload + 36
      #if arch(arm64)
        let words = [end.words.0, end.words.1, end.words.2, end.words.3]
      #else
        // rdx, rsi, rdi and r10.
        let words = [end.words.2, end.words.1, end.words.0, end.words.3]
      #endif
      for (index, word) in words.enumerated() {
        registers.storeBytes(of: word, toByteOffset: 8 * index, as: UInt64.self)
      }
    }
  }

  /// The files that a call named.
  func tell(_ call: lull_kernel_call_record, _ paths: KernelPaths) {
    guard let first = paths.first else { return }
    var place = PreloadWriter.Place(pid: call.pid, tid: call.tid, time: call.head.time)
    func tell(_ event: PreloadEvent, _ texts: [String]) {
      var payload = PreloadPayload(event, pid: call.tid)
      payload.add(texts: texts)
      output += writer.sample(event, payload, place)
    }
    if let second = paths.second { return tell(.rename, [first, second]) }
    guard SystemCallFilter.opens.contains(Int64(call.number)) else { return tell(.unlink, [first]) }
    place.time &-= 1
    tell(.open, [first])
    // After the call's own end, which begins what the descriptor stands for.
    place.time &+= 2
    var payload = PreloadPayload(.opened, pid: call.tid)
    payload.add(Int32(clamping: call.result))
    output += writer.sample(.opened, payload, place)
  }

  /// A job of Swift's concurrency begins.
  func tell(_ job: lull_kernel_job_record) {
    var payload = PreloadPayload(.jobBegan, pid: job.mark.tid)
    payload.add(job.mark.job)
    payload.add(job.executor)
    payload.add(job.resume)
    payload.add(job.flags)
    payload.add(UInt32(0))
    let callers = job.callers
    for caller in [callers.0, callers.1, callers.2, callers.3, callers.4, callers.5] {
      payload.add(caller)
    }
    output += writer.sample(.jobBegan, payload, Self.place(job.mark))
  }

  /// One has run or is handed over, or a task is made.
  func tell(_ event: PreloadEvent, _ mark: lull_kernel_job_mark) {
    var payload = PreloadPayload(event, pid: mark.tid)
    payload.add(mark.job)
    output += writer.sample(event, payload, Self.place(mark))
  }

  private static func place(_ mark: lull_kernel_job_mark) -> PreloadWriter.Place {
    PreloadWriter.Place(pid: mark.pid, tid: mark.tid, time: mark.head.time)
  }
}
