import PerfData

/// Threads as they begin and end.
extension OutsideSource {
  func take(
    _ list: [Int32], of process: OutsideProcess, now: UInt64, into output: inout RecordBytes
  ) {
    for tid in list where process.tasks[tid] == nil {
      guard let files = OutsideFiles(pid: process.pid, tid: tid),
        let reading = files.reading(buffer)
      else { continue }
      begin(tid, files, reading, of: process, into: &output)
    }
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
    // What was there when recording began was told of then.
    let isNew = process.listed > began || isWrapped
    let isRunning = files.state(buffer) == .running
    var start = reading
    start.time = began
    if isNew {
      start = OutsideThread.beginning(
        of: reading, isRunning: isRunning, notBefore: max(process.listed, began))
    }
    let name = files.name ?? ""
    // One that was there is what the first look finds it to be.
    let isOn = isNew || isRunning
    let waits = isNew ? 0 : files.voluntarySwitches
    let thread = OutsideThread(
      start, isOn: isOn, untold: isNew ? reading.processor : 0, waits: waits)
    process.tasks[tid] = OutsideTask(
      pid: pid, tid: tid, files: files, thread: thread, name: name,
      switches: waits ?? 0)
    guard tellsAll else { return }
    let place = OutsideWriter.Place(pid: pid, tid: tid, time: start.time)
    if tid != pid, isNew { output.append(writer.fork(from: pid, place)) }
    output.append(writer.comm(name, place))
    output.append(
      writer.switch(
        isOn ? .arrived(start.time) : .left(start.time), pid: pid, tid: tid))
  }

  func end(
    _ task: OutsideTask, of process: OutsideProcess, now: UInt64, into output: inout RecordBytes
  ) {
    guard process.tasks.removeValue(forKey: task.tid) != nil else { return }
    process.endedSwitches += task.switches.last - task.switches.first
    guard tellsAll else { return }
    write(task.thread.finish(), of: task, into: &output)
    let last = task.thread.told.time
    let time = last + (now - min(now, last)) / 2
    output.append(writer.exit(.init(pid: task.pid, tid: task.tid, time: time), parent: task.pid))
  }
}
