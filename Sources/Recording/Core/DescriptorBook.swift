import PerfData

/// Finds out what descriptors stand for when they are first written to.
struct DescriptorBook {
  private struct Key: Hashable {
    var pid: Int32
    var fd: Int32
  }

  private var known: Set<Key> = []
  /// To be resolved when the round ends: by then a later open or close has been seen.
  private var wanted: [Key: UInt64] = [:]

  /// Takes in a system call's end.
  mutating func note(_ call: SystemCallResult, pid: Int32, time: UInt64) {
    if call.number == SystemCallFilter.close {
      forget(pid, call.first)
    } else if SystemCallFilter.opens.contains(call.number) {
      // A file that the C library opened is named by its probe; this serves all others.
      guard call.result >= 0 else { return }
      want(pid, UInt64(call.result), time, replacing: true)
    } else if SystemCallFilter.isDuplicate(call) {
      guard call.result >= 0 else { return }
      forget(pid, UInt64(call.result))
    } else if call.number == SystemCallFilter.closeRange {
      forgetAll(of: pid)
    } else if call.number != SystemCallFilter.control {
      want(pid, SystemCallFilter.writtenDescriptor(call), time, replacing: false)
    }
  }

  private mutating func want(_ pid: Int32, _ fd: UInt64, _ time: UInt64, replacing: Bool) {
    guard fd < UInt64(Int32.max) else { return }
    let key = Key(pid: pid, fd: Int32(fd))
    if replacing {
      known.insert(key)
      wanted[key] = time
    } else if known.insert(key).inserted {
      wanted[key] = time
    }
  }

  private mutating func forget(_ pid: Int32, _ fd: UInt64) {
    guard fd < UInt64(Int32.max) else { return }
    let key = Key(pid: pid, fd: Int32(fd))
    known.remove(key)
    wanted[key] = nil
  }

  /// Forgets a process that ended or runs another program.
  mutating func forgetAll(of pid: Int32) {
    known = known.filter { $0.pid != pid }
    wanted = wanted.filter { $0.key.pid != pid }
  }

  /// Remembers what is written to the trace anyway.
  mutating func setKnown(_ event: DescriptorEvent) {
    known.insert(Key(pid: Int32(clamping: event.pid), fd: Int32(clamping: event.fd)))
  }

  /// Resolves what the round asked for; each with the time from which it holds.
  mutating func resolve() -> [(event: DescriptorEvent, time: UInt64)] {
    guard !wanted.isEmpty else { return [] }
    defer { wanted.removeAll(keepingCapacity: true) }
    return wanted.compactMap { key, time in
      guard let event = DescriptorTable.resolve(pid: key.pid, fd: Int(key.fd)) else {
        known.remove(key)
        return nil
      }
      // Just before the call that named it, so that it holds for that call.
      return (event, time &- 1)
    }.sorted { $0.time < $1.time }
  }
}
