import PerfData
import Quantities

/// Records that are no samples: mappings, names, beginnings and ends of threads, switches and losses.
enum SideBandDecoder {
  static func decode(_ record: RecordEntry, of file: PerfDataFile, _ state: inout LoaderState) {
    let time = record.timestamp
    switch record.type {
    case RecordType.mmap, RecordType.mmap2:
      guard let mapping = file.mmap2(record), !state.isOutside(mapping.pid) else { return }
      state.stacks.map(mapping)
      state.processes.mapped(mapping)
    case RecordType.comm:
      guard let comm = file.comm(record), !state.isOutside(comm.pid) else { return }
      if comm.isExec { state.schedule.exec(pid: comm.pid, name: comm.name, at: time) }
      state.schedule.begin(tid: comm.tid, pid: comm.pid, name: comm.name, at: time)
      state.schedule.rename(tid: comm.tid, to: comm.name)
      state.processes.named(
        pid: comm.pid, tid: comm.tid, name: comm.name, isExec: comm.isExec, at: time)
      if comm.isExec {
        state.stacks.exec(comm.pid)
        state.calls.exec(pid: comm.pid)
        state.descriptors.exec(comm.pid, at: time)
        // Within the process what the C library does to start a program elsewhere is not seen.
        if let capture = state.capture, capture.recorder == CaptureEvent.processRecorder,
          comm.pid != capture.rootPid
        {
          state.folders.left(comm.pid)
        }
      }
    case RecordType.fork:
      guard let task = file.task(record), !state.isOutside(task.pid) else { return }
      let name = state.schedule.name(of: task.parentTid) ?? ""
      state.schedule.begin(tid: task.tid, pid: task.pid, name: name, at: time)
      state.processes.forked(pid: task.pid, from: task.parentPid, name: name, at: time)
      state.descriptors.forked(task.pid, from: task.parentPid)
      state.folders.forked(task.pid, from: task.parentPid)
      state.descriptorSockets.forked(task.pid, from: task.parentPid)
      state.calls.begin(tid: task.tid)
      state.stacks.forked(task.pid, from: task.parentPid)
    case RecordType.exit:
      guard let task = file.task(record), !state.isOutside(task.pid) else { return }
      state.schedule.end(tid: task.tid, at: time)
      if task.tid == task.pid { state.processes.ended(pid: task.pid, at: time) }
    case RecordType.contextSwitch, RecordType.contextSwitchCPUWide:
      guard let what = file.contextSwitch(record) else { return }
      SchedulerDecoder.contextSwitch(what, tid: record.tid, at: time, &state)
    case RecordType.lost: state.lostEvents &+= file.lost(record) ?? 0
    case RecordType.lostSamples: state.lostSamples &+= file.lost(record) ?? 0
    case RecordType.throttle: state.throttled += 1
    default: break
    }
  }
}
