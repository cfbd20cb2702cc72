import CPreloadRing
import PerfData

/// Looks at threads: what each does, and what it waits in.
extension OutsideSource {
  /// From so many threads on those that wait for long are looked at less often.
  private static let manyThreads = 16

  func look(at process: OutsideProcess, now: UInt64, into output: inout [[UInt8]]) {
    if let list = process.newList(now: now) { take(list, of: process, now: now, into: &output) }
    if process.isQuiet {
      for task in process.tasks.values { task.thread.waits(until: now) }
      return
    }
    let before = process.beginLooks()
    for task in process.tasks.values where task.nextLook <= now || task.wait == nil {
      look(at: task, of: process, now: now, into: &output)
    }
    process.endLooks(before)
  }

  private func look(
    at task: OutsideTask, of process: OutsideProcess, now: UInt64, into output: inout [[UInt8]]
  ) {
    guard var reading = task.files.reading(buffer) else {
      return end(task, of: process, now: now, into: &output)
    }
    if let wait = task.wait, reading.arrivals == task.arrivals {
      task.thread.waits(until: reading.time)
      if !task.isTold { tell(wait, of: task, process, at: reading.time, into: &output) }
      task.nextLook = now + rest(of: task, process, now: now)
      return
    }
    guard var state = task.files.state(buffer), let after = task.files.reading(buffer) else {
      return end(task, of: process, now: now, into: &output)
    }
    // It may have gone on between the readings.
    if case .waiting = state, after.arrivals != reading.arrivals { state = .running }
    reading = after
    task.quietSince = now
    task.nextLook = now
    switch state {
    case .ended: end(task, of: process, now: now, into: &output)
    case .running:
      task.wait = nil
      write(task.thread.runs(reading), of: task, into: &output)
    case .waiting(let call):
      write(task.thread.waits(reading), of: task, into: &output)
      task.wait = call
      task.arrivals = reading.arrivals
      task.isTold = false
      if task.takeToken(now: now) { tell(call, of: task, process, at: reading.time, into: &output) }
    }
    if task.files.isCallForbidden { areCallsForbidden = true }
  }

  /// How long a thread that waits need not be looked at.
  private func rest(of task: OutsideTask, _ process: OutsideProcess, now: UInt64) -> UInt64 {
    guard process.tasks.count >= Self.manyThreads, task.tid != task.pid else { return 0 }
    let quiet = now - min(now, task.quietSince)
    return quiet > 5_000_000_000 ? 25 * pace.interval : quiet > 250_000_000 ? 5 * pace.interval : 0
  }

  func write(
    _ steps: [OutsideThread.Step], of task: OutsideTask, into output: inout [[UInt8]]
  ) {
    guard tellsAll else { return }
    for step in steps { output.append(writer.switch(step, pid: task.pid, tid: task.tid)) }
  }

  /// Tells what a thread waits in, with its stack.
  private func tell(
    _ call: OutsideCall, of task: OutsideTask, _ process: OutsideProcess, at time: UInt64,
    into output: inout [[UInt8]]
  ) {
    task.isTold = true
    var stack = [UInt8](repeating: 0, count: writer.stackBytes)
    let count =
      call.stackPointer > 0
      ? lull_read_memory(task.pid, call.stackPointer, &stack, UInt64(stack.count)) : 0
    if count < 0 { isMemoryForbidden = true }
    var call = call
    let isDescriptor = call.number.map { OutsideMeaning.ofDescriptors.contains($0) } ?? false
    let kind =
      isDescriptor
      ? process.descriptors.kind(of: call.first, now: time) : lull_descriptor_unknown
    var name = call.function
    if name == nil, OutsideMeaning.meaning(of: call, kind) == nil { name = task.files.function }
    let function = OutsideMeaning.function(
      of: call, kind, hasStack: count > 0, waitsIn: name)
    // It may have gone on while that was read.
    guard let after = task.files.reading(buffer), after.arrivals == task.arrivals else { return }
    task.thread.waits(until: after.time)
    if count <= 0 { (call.stackPointer, call.instruction) = (0, 0) }
    guard function != nil || count > 0 else { return }
    output.append(
      writer.wait(
        in: function, at: call, stack: Array(stack.prefix(max(0, count))),
        .init(pid: task.pid, tid: task.tid, time: after.time)))
  }
}
