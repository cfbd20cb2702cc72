import CPreloadRing
import PerfData

/// Looks at threads: what each does, and what it waits in.
extension OutsideSource {
  /// From so many threads on those that wait for long are looked at less often.
  private static let manyThreads = 16

  func look(at process: OutsideProcess, now: UInt64, into output: inout RecordBytes) {
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
    at task: OutsideTask, of process: OutsideProcess, now: UInt64, into output: inout RecordBytes
  ) {
    guard var reading = task.files.reading(buffer) else {
      return end(task, of: process, now: now, into: &output)
    }
    if let wait = task.wait, reading.arrivals == task.arrivals {
      task.thread.waits(until: reading.time)
      if !task.isTold {
        task.isTold = true
        let seen = stack(of: task, in: wait, at: reading.time)
        _ = tell(wait, seen, of: task, process, into: &output)
      }
      task.nextLook = now + rest(of: task, process, now: now)
      return
    }
    guard var state = task.files.state(buffer), let after = task.files.reading(buffer) else {
      return end(task, of: process, now: now, into: &output)
    }
    let hasGoneOn = after.arrivals != reading.arrivals
    if case .waiting = state, hasGoneOn {
      if after.arrivals == reading.arrivals + 1 {
        // That was the wait that it has left by now: before it all its time on a CPU was counted.
        reading.processor = after.processor
      } else {
        state = .running
        reading = after
      }
    } else {
      reading = after
    }
    task.quietSince = now
    task.nextLook = now
    switch state {
    case .ended: end(task, of: process, now: now, into: &output)
    case .running:
      task.wait = nil
      let steps = task.thread.runs(reading) { task.files.voluntarySwitches }
      write(steps, of: task, into: &output)
      tellStorage(steps, of: task, in: nil, into: &output)
    case .waiting(let call):
      (task.wait, task.arrivals) = (call, reading.arrivals)
      task.isTold = !hasGoneOn && task.takeToken(now: now)
      // First of all the stack: a short wait is soon over.
      let seen =
        task.isTold ? stack(of: task, in: call, at: reading.time) : SeenStack(time: reading.time)
      let steps = task.thread.waits(reading) { task.files.voluntarySwitches }
      write(steps, of: task, into: &output)
      let function = tell(call, seen, of: task, process, into: &output)
      tellStorage(steps, of: task, in: function ?? "", into: &output)
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
    _ steps: [OutsideThread.Step], of task: OutsideTask, into output: inout RecordBytes
  ) {
    guard tellsSwitches(of: task.pid) else { return }
    for step in steps { output.append(writer.switch(step, pid: task.pid, tid: task.tid)) }
  }

  /// The stack of a wait, at a moment of it; empty where it was not read in time.
  private struct SeenStack {
    var bytes: [UInt8] = []
    var time: UInt64
  }

  private func stack(of task: OutsideTask, in call: OutsideCall, at time: UInt64) -> SeenStack {
    guard call.stackPointer > 0 else { return SeenStack(time: time) }
    var bytes = [UInt8](repeating: 0, count: writer.stackBytes)
    let count = lull_read_memory(task.pid, call.stackPointer, &bytes, UInt64(bytes.count))
    if count < 0 { isMemoryForbidden = true }
    guard count > 0, let after = stillWaits(task) else { return SeenStack(time: time) }
    bytes.removeLast(bytes.count - count)
    return SeenStack(bytes: bytes, time: after)
  }

  /// Until when it is in the wait that it was found in; nil where it has gone on.
  private func stillWaits(_ task: OutsideTask) -> UInt64? {
    guard let reading = task.files.reading(buffer), reading.arrivals == task.arrivals
    else { return nil }
    return reading.time
  }

  /// Tells what a thread waits in, with its stack, or what it waits for alone: the kernel's function, if it is known.
  private func tell(
    _ call: OutsideCall, _ stack: SeenStack, of task: OutsideTask, _ process: OutsideProcess,
    into output: inout RecordBytes
  ) -> String? {
    task.thread.waits(until: stack.time)
    var call = call
    if stack.bytes.isEmpty { (call.stackPointer, call.instruction) = (0, 0) }
    // Whatever it does by now, the number of its call tells what it waited for.
    let isDescriptor = call.number.map { OutsideMeaning.ofDescriptors.contains($0) } ?? false
    let kind =
      isDescriptor
      ? process.descriptors.kind(of: call.first, now: stack.time) : lull_descriptor_unknown
    var name = call.function
    if name == nil, OutsideMeaning.meaning(of: call, kind) == nil {
      name = task.files.function
      if stillWaits(task) == nil { name = nil }
    }
    var function = OutsideMeaning.function(
      of: call, kind, hasStack: !stack.bytes.isEmpty, waitsIn: name)
    if task.files.isStopped, stillWaits(task) != nil { function = CallMeaning.stop.function }
    guard function != nil || !stack.bytes.isEmpty else { return nil }
    process.isAt(call.instruction)
    tellMappings(of: process, now: stack.time, into: &output)
    output.append(
      writer.wait(
        in: function, at: call, stack: stack.bytes,
        .init(pid: task.pid, tid: task.tid, time: stack.time)))
    return function
  }
}
