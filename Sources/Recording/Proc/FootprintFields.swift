import Glibc
import PerfData

/// What /proc's files tell of a process's memory and use.
extension FootprintSample {
  /// Of /proc/PID/status; nil where it has no memory, as of a process that only waits to be reaped.
  init?(status: ArraySlice<UInt8>) {
    self.init()
    var hasMemory = false
    ProcFields.forEachLine(of: status) { line in
      // All the wanted names begin with one of these letters: H, R, S, V.
      guard line.count > 6, let first = line.first, [72, 82, 83, 86].contains(first) else { return }
      if let value = ProcFields.value("RssAnon:", in: line) {
        anonymous = value << 10
      } else if let value = ProcFields.value("RssFile:", in: line) {
        file = value << 10
      } else if let value = ProcFields.value("RssShmem:", in: line) {
        sharedMemory = value << 10
      } else if let value = ProcFields.value("VmSwap:", in: line) {
        swapped = value << 10
      } else if let value = ProcFields.value("HugetlbPages:", in: line) {
        huge = value << 10
      } else if let value = ProcFields.value("VmRSS:", in: line) {
        resident = value << 10
        hasMemory = true
      } else if let value = ProcFields.value("VmHWM:", in: line) {
        peakResident = value << 10
      } else if let mask = ProcFields.mask("SigCgt:", in: line) {
        caughtSignals = mask | FootprintSample.signalsKnown
      }
    }
    if !hasMemory { return nil }
  }

  private static let nanosecondsPerTick: UInt64 = {
    let ticks = sysconf(Int32(_SC_CLK_TCK))
    return 1_000_000_000 / UInt64(ticks > 0 ? ticks : 100)
  }()

  /// Takes in /proc/PID/stat; false where it is not understood.
  mutating func takeStatistics(_ text: ArraySlice<UInt8>) -> Bool {
    guard let fields = ProcessStatistics(parsing: text) else { return false }
    minorFaults = fields.minorFaults
    majorFaults = fields.majorFaults
    userTimeNs = fields.userTicks &* Self.nanosecondsPerTick
    systemTimeNs = fields.systemTicks &* Self.nanosecondsPerTick
    threadCount = fields.threads
    return true
  }

  /// Takes in /proc/PID/io.
  mutating func takeTransfers(_ text: ArraySlice<UInt8>) {
    ProcFields.forEachLine(of: text) { line in
      if let value = ProcFields.value("rchar:", in: line) {
        readChars = value
      } else if let value = ProcFields.value("wchar:", in: line) {
        writtenChars = value
      } else if let value = ProcFields.value("syscr:", in: line) {
        readCalls = value
      } else if let value = ProcFields.value("syscw:", in: line) {
        writeCalls = value
      } else if let value = ProcFields.value("read_bytes:", in: line) {
        storageReadBytes = value
      } else if let value = ProcFields.value("write_bytes:", in: line) {
        storageWriteBytes = value
      } else if let value = ProcFields.value("cancelled_write_bytes:", in: line) {
        cancelledWriteBytes = value
      }
    }
  }

  /// Leaves out shared memory that the process holds for the recorder.
  mutating func leaveOut(shared held: UInt64) {
    let held = min(held, sharedMemory, resident)
    sharedMemory -= held
    resident -= held
    peakResident -= min(held, peakResident)
  }
}
