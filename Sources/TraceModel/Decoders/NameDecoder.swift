import PerfData
import Quantities

/// What is made of records where only the names of their stacks are wanted: nothing that grows with their number.
///
/// Each asks for the stack of the very samples of which the event's own decoder does.
enum NameDecoder {
  static func stack(_ context: DecodingContext, _ state: inout LoaderState) {
    _ = state.stacks.stack(of: context)
  }

  static func stackOrPlace(_ context: DecodingContext, _ state: inout LoaderState) {
    _ = state.stacks.stackOrPlace(of: context)
  }

  static func schedSwitch(_ context: DecodingContext, _ state: inout LoaderState) {
    guard let named = context.integer("prev_pid"), context.integer("next_pid") != nil,
      context.integer("prev_state") != nil
    else { return }
    let previous = state.leaver(Int32(truncatingIfNeeded: named), context.tid, at: context.time)
    if SchedulerDecoder.hasStack(context, ofLeaver: previous) { stack(context, &state) }
  }

  static func leavingStack(_ context: DecodingContext, _ state: inout LoaderState) {
    if SchedulerDecoder.hasLeavingStack(state) { stack(context, &state) }
  }

  static func contentionEnd(_ context: DecodingContext, _ state: inout LoaderState) {
    if BlockedSampleDecoder.slept(context, &state) != nil { stack(context, &state) }
  }

  static func job(_ context: DecodingContext, _ state: inout LoaderState) {
    guard context.integer("job") != nil, let place = JobPlace(context.integer) else { return }
    _ = state.stacks.job(context, place)
  }

  /// What processes have mapped, and when another program begins.
  static func sideBand(_ record: RecordEntry, of file: PerfDataFile, _ state: inout LoaderState) {
    switch record.type {
    case RecordType.mmap, RecordType.mmap2:
      guard let mapping = file.mmap2(record), !state.isOutside(mapping.pid) else { return }
      state.stacks.map(mapping)
    case RecordType.comm:
      guard let comm = file.comm(record), !state.isOutside(comm.pid), comm.isExec else { return }
      state.stacks.exec(comm.pid)
    case RecordType.fork:
      guard let task = file.task(record), !state.isOutside(task.pid) else { return }
      state.stacks.forked(task.pid, from: task.parentPid)
    default: break
    }
  }
}
