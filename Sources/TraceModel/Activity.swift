import PerfData
import Quantities

/// What the processes did, in time order.
struct Activity {
  var threads: [ThreadModel]
  var wakeups: WakeupLog
  var transfers: TransferLog
  var countedSpans: [CountedSpan]
  var transferFailures: [TransferFailure]
  var spinCalls: [SpinCall]
  var operations: FileOperations
  var footprints: [Footprint]
  var signals: [SignalDelivery]
  var samples: [ProcessorSample]
  var jobs: JobLog
  var createdTasks: TaskLog

  /// Takes out what a process did as another program, before its exec.
  mutating func leaveOut(_ pid: Int32, before time: Timestamp) {
    threads = threads.compactMap { thread in
      guard thread.pid == pid, thread.start < time else { return thread }
      if let end = thread.end, end <= time { return nil }
      var later = thread
      later.start = time
      later.intervals.leaveOut(before: time)
      return later
    }
    wakeups.leaveOut(pid, before: time)
    if transfers.earliest < time {
      transfers = TransferLog(transfers.lazy.filter { $0.pid != pid || $0.time >= time })
    }
    for index in countedSpans.indices {
      if countedSpans[index].to <= time {
        countedSpans[index].counts[pid] = nil
      } else if countedSpans[index].from < time {
        countedSpans[index].partly.insert(pid)
      }
    }
    transferFailures.removeAll { $0.pid == pid && $0.time < time }
    spinCalls.removeAll { $0.pid == pid && $0.time < time }
    if jobs.earliest < time {
      jobs = JobLog(jobs.lazy.filter { $0.pid != pid || $0.start >= time })
    }
    if createdTasks.earliest < time {
      createdTasks = TaskLog(createdTasks.lazy.filter { $0.pid != pid || $0.time >= time })
    }
    if operations.earliest < time {
      operations = FileOperations(operations.lazy.filter { $0.pid != pid || $0.time >= time })
    }
    footprints.removeAll { $0.pid == pid && $0.time < time }
    signals.removeAll { $0.pid == pid && $0.time < time }
    samples.removeAll { $0.pid == pid && $0.time < time }
  }
}
