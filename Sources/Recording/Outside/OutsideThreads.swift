import PerfData

/// Threads as they begin and end.
extension OutsideSource {
  func take(
    _ list: [Int32], of process: OutsideProcess, now: UInt64, into output: inout RecordBytes
  ) {
    for tid in list where process.tasks[tid] == nil {
      if let earlier = process.earlier[tid] {
        begin(tid, earlier, of: process, into: &output)
        continue
      }
      // A process that its parent has not asked for yet still has its first thread's id.
      guard let files = OutsideFiles(pid: process.pid, tid: tid), !files.isEnded,
        let reading = files.reading(buffer)
      else { continue }
      begin(tid, files, reading, of: process, into: &output)
    }
    process.forgetEarlier()
    process.beginCounting()
    let present = Set(list)
    for task in Array(process.tasks.values) where !present.contains(task.tid) {
      end(task, of: process, now: now, into: &output)
    }
    process.listed = now
  }

  private func begin(
    _ tid: Int32, _ files: OutsideFiles, _ reading: OutsideReading, of process: OutsideProcess,
    into output: inout RecordBytes
  ) {
    let pid = process.pid
    var start = OutsideThread.beginning(
      of: reading, isRunning: files.state(buffer) == .running,
      notBefore: max(process.listed, began))
    var untold = reading.processor
    if tid == pid, let used = process.usedBefore {
      process.usedBefore = nil
      start.time = process.listed
      untold -= min(used, untold)
    }
    let name = files.name ?? ""
    seen.insert(pid)
    let thread = OutsideThread(start, isOn: true, untold: untold, waits: 0)
    process.tasks[tid] = OutsideTask(
      pid: pid, tid: tid, files: files, thread: thread, name: name, switches: 0)
    guard tellsSwitches(of: pid) else { return }
    let place = OutsideWriter.Place(pid: pid, tid: tid, time: start.time)
    if tid != pid { output.append(writer.fork(from: pid, place)) }
    output.append(writer.comm(name, place))
    output.append(writer.switch(.arrived(start.time), pid: pid, tid: tid))
  }

  /// One that was there as the recording began, when it waited or not.
  private func begin(
    _ tid: Int32, _ earlier: OutsideEarlier, of process: OutsideProcess,
    into output: inout RecordBytes
  ) {
    let pid = process.pid
    let found = earlier.thread
    var start = found.reading
    start.time = began
    let name = found.files.name ?? ""
    let thread = OutsideThread(start, isOn: found.wait == nil, waits: found.switches)
    process.tasks[tid] = OutsideTask(
      pid: pid, tid: tid, files: found.files, thread: thread, name: name, switches: found.switches)
    guard tellsSwitches(of: pid) else { return }
    let place = OutsideWriter.Place(pid: pid, tid: tid, time: began)
    output.append(writer.comm(name, place))
    guard var call = found.wait else {
      return output.append(writer.switch(.arrived(began), pid: pid, tid: tid))
    }
    if earlier.stack.isEmpty { (call.stackPointer, call.instruction) = (0, 0) }
    if earlier.function != nil || !earlier.stack.isEmpty {
      output.append(writer.wait(in: earlier.function, at: call, stack: earlier.stack, place))
    }
    output.append(writer.switch(.left(began), pid: pid, tid: tid))
  }

  func end(
    _ task: OutsideTask, of process: OutsideProcess, now: UInt64, into output: inout RecordBytes
  ) {
    guard process.tasks.removeValue(forKey: task.tid) != nil else { return }
    process.endedSwitches += task.switches.last - task.switches.first
    if process.pid == root { endedThreads += 1 }
    endedQueued += task.thread.queued
    let end = task.thread.ends(before: now, used: process.untold(besides: task))
    process.usedByEnded += task.thread.processor + end.used
    guard tellsSwitches(of: task.pid) else { return }
    write(end.steps, of: task, into: &output)
    output.append(
      writer.exit(.init(pid: task.pid, tid: task.tid, time: end.time), parent: task.pid))
  }
}
