import CBPF
import PerfData

/// Calls into the kernel, the files that they name, and jobs.
extension KernelWriter {
  /// A call ended, or so many alike did.
  func tell(_ end: lull_kernel_call_record, spins: Bool) {
    let words = end.words
    #if arch(arm64)
      let registers = words
    #else
      // rdx, rsi, rdi and r10.
      let registers = (words.2, words.1, words.0, words.3)
    #endif
    templates.tell(
      .init(number: UInt64(end.number), result: end.result, registers: registers),
      .init(pid: end.pid, tid: end.tid, time: end.head.time), cpu: UInt32(end.head.cpu),
      standingFor: UInt64(max(1, end.head.flags)), spins: spins, into: &output)
  }

  /// The files that a call named.
  func tell(_ call: lull_kernel_call_record, _ paths: KernelPaths) {
    guard let first = paths.first,
      !SystemCallFilter.directoryChanges.contains(Int64(call.number))
    else { return }
    var place = PreloadWriter.Place(pid: call.pid, tid: call.tid, time: call.head.time)
    let folders = SystemCallFilter.folders(of: call)
    func tell(_ event: PreloadEvent, _ texts: [String]) {
      var payload = PreloadPayload(event, pid: call.tid)
      payload.add(texts: texts, Array(folders.prefix(texts.count)))
      output.append(writer.sample(event, payload, place))
    }
    if let second = paths.second { return tell(.rename, [first, second]) }
    guard SystemCallFilter.opens.contains(Int64(call.number)) else { return tell(.unlink, [first]) }
    place.time &-= 1
    tell(.open, [first])
    // After the call's own end, which begins what the descriptor stands for.
    place.time &+= 2
    var payload = PreloadPayload(.opened, pid: call.tid)
    payload.add(Int32(clamping: call.result))
    output.append(writer.sample(.opened, payload, place))
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
    output.append(writer.sample(.jobBegan, payload, Self.place(job.mark)))
  }

  /// One has run or is handed over, or a task is made.
  func tell(_ event: PreloadEvent, _ mark: lull_kernel_job_mark) {
    var payload = PreloadPayload(event, pid: mark.tid)
    payload.add(mark.job)
    output.append(writer.sample(event, payload, Self.place(mark)))
  }

  private static func place(_ mark: lull_kernel_job_mark) -> PreloadWriter.Place {
    PreloadWriter.Place(pid: mark.pid, tid: mark.tid, time: mark.head.time)
  }
}
