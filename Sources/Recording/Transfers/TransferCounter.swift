import CPerfEvent
import Glibc
import PerfData

/// Counts in the kernel what each process of the target sends and receives while that is sampled: exactly, whoever
/// makes it.
///
/// An event of a thread counts too, but not by process, not the bytes, and costs at each of its switches; one of a CPU
/// counts for all programs. Needs CAP_BPF and CAP_PERFMON, or root.
final class TransferCounter {
  enum Direction: Int, CaseIterable { case send, receive }

  /// What the processes of the target did.
  struct Count: Equatable {
    /// Calls, whatever came of them.
    var calls: UInt64 = 0
    /// Those that moved something over an internet socket.
    var transfers: UInt64 = 0
    var bytes: UInt64 = 0

    static func - (left: Count, right: Count) -> Count {
      Count(
        calls: left.calls &- right.calls, transfers: left.transfers &- right.transfers,
        bytes: left.bytes &- right.bytes)
    }

    static func += (left: inout Count, right: Count) {
      left.calls &+= right.calls
      left.transfers &+= right.transfers
      left.bytes &+= right.bytes
    }
  }

  /// A tracepoint with the program that is to run at it.
  private struct Hook {
    var event: UInt64
    var program: OwnedDescriptor
  }

  /// See `TransferPrograms.Window`.
  private struct Window {
    var since: UInt64
    var until: UInt64

    static let always = Window(since: 0, until: .max)
    static let never = Window(since: .max, until: 0)
  }

  private let counts: OwnedDescriptor
  private let windows: OwnedDescriptor
  private let hooks: [Hook]
  /// The perf events by which the programs run.
  private var attached: [OwnedDescriptor]?
  /// Those that live.
  private var processes: Set<Int32> = []
  /// What ended processes did.
  private var ended: [Int32: [Count]] = [:]
  /// All processes had room.
  private var isComplete = true
  /// What was taken of each direction.
  private var taken = Direction.allCases.map { _ in [Int32: Count]() }
  private let possibleCPUs: Int
  /// The programs know a process by its id in the initial namespace.
  private var kernelID: (Int32) -> Int32? = { $0 }
  private var processID: (Int32) -> Int32 = { $0 }

  /// With more at once nothing is known to be complete, and samples alone tell.
  private static let mostProcesses: UInt32 = 16_384
  /// A window begins and ends so much later, in nanoseconds: all CPUs know by then.
  private static let notice: UInt64 = 200_000

  /// Loads the programs, which do not run yet; nil where the kernel does not let us.
  init?(tracefs: TraceFS) {
    guard let possibleCPUs = SystemInfo.possibleCPUs() else { return nil }
    self.possibleCPUs = possibleCPUs
    let layout = TransferPrograms.self
    let counts = lull_bpf_counts(UInt32(2 * layout.Count.size), Self.mostProcesses)
    guard counts >= 0 else { return nil }
    self.counts = OwnedDescriptor(counts)
    let windows = lull_bpf_array(UInt32(layout.Window.size), 2)
    guard windows >= 0 else { return nil }
    self.windows = OwnedDescriptor(windows)

    func hook(
      _ system: String, _ name: String, _ program: (TracepointFormat) -> BPFProgram?
    ) -> Hook? {
      guard let id = tracefs.eventID(system, name),
        let format = tracefs.format(system, name).flatMap({ TracepointFormat(parsing: $0) }),
        let program = program(format)?.loaded()
      else { return nil }
      return Hook(event: id, program: program)
    }
    let wanted = [
      // First: who is created while the others are attached is in the map.
      hook("task", "task_newtask") { layout.following($0, counts: counts) },
      hook("sock", "sock_send_length") {
        layout.counting($0, isSend: true, counts: counts, windows: windows)
      },
      hook("sock", "sock_recv_length") {
        layout.counting($0, isSend: false, counts: counts, windows: windows)
      },
    ]
    hooks = wanted.compactMap { $0 }
    guard hooks.count == wanted.count, Direction.allCases.allSatisfy({ set($0, .never) })
    else { return nil }
  }

  /// Says by which ids the programs know processes, in a PID namespace: nil and -1 where that is not known.
  func translate(
    to kernelID: @escaping (Int32) -> Int32?, from processID: @escaping (Int32) -> Int32
  ) {
    self.kernelID = kernelID
    self.processID = processID
  }

  /// A process of the target that lives.
  func began(_ pid: Int32) {
    guard processes.insert(pid).inserted, attached != nil else { return }
    // A child is in the map since before it ran.
    if let key = kernelID(pid) { enter(key) }
  }

  /// A process of the target that has ended: its id may be given to another.
  func ended(_ pid: Int32) {
    // A program's first thread may end before the others.
    guard processes.contains(pid), KernelFile.numbers(in: "/proc/\(pid)/task").count < 2
    else { return }
    processes.remove(pid)
    guard attached != nil, var key = kernelID(pid) else { return }
    add(value(of: key), to: &ended, of: pid)
    _ = lull_bpf_delete(counts.number, &key)
  }

  /// Begins to count a direction; gives from which moment on, which is over by then. Nil where it cannot.
  func begin(_ direction: Direction) -> UInt64? {
    guard attach() else { return nil }
    return agree(direction, { Window(since: $0, until: .max) }, then: .always)
  }

  /// Ends counting a direction; gives from which moment on it does not count, which is over by then.
  func end(_ direction: Direction) -> UInt64? {
    guard attached != nil else { return nil }
    return agree(direction, { Window(since: 1, until: $0) }, then: .never)
  }

  /// Sets a direction's window by a moment that comes, and another when it is over.
  private func agree(
    _ direction: Direction, _ first: (UInt64) -> Window, then last: Window
  ) -> UInt64? {
    let moment = SystemInfo.monotonicNanoseconds() + Self.notice
    guard set(direction, first(moment)) else { return nil }
    while SystemInfo.monotonicNanoseconds() < moment { usleep(useconds_t(Self.notice / 2_000)) }
    return set(direction, last) ? moment : nil
  }

  private func set(_ direction: Direction, _ window: Window) -> Bool {
    var key = UInt32(direction.rawValue)
    var value = [window.since, window.until]
    return lull_bpf_update(windows.number, &key, &value, 0) == 0
  }

  private func attach() -> Bool {
    if attached != nil { return true }
    let keys = processes.compactMap(kernelID)
    guard keys.count == processes.count else { return false }
    var opened: [OwnedDescriptor] = []
    for hook in hooks {
      var event = lull_event()
      event.type = EventSpec.Kind.tracepoint.type
      event.config = hook.event
      event.flags = EventSpec.Flag.disabled
      // Whose event it is does not matter: the program is the tracepoint's.
      let descriptor = lull_perf_event_open(&event, 0, -1, -1)
      guard descriptor >= 0 else { return false }
      opened.append(OwnedDescriptor(descriptor))
      guard lull_perf_set_bpf(descriptor, hook.program.number) == 0 else { return false }
    }
    attached = opened
    for key in keys { enter(key) }
    return true
  }

  /// Leaves the events to be closed; nothing is counted from here on.
  func leave(to leftovers: Leftovers) {
    leftovers.add((attached ?? []).map { fcntl($0.number, F_DUPFD_CLOEXEC, 3) }.filter { $0 >= 0 })
    attached = nil
  }

  private func enter(_ key: Int32) {
    var key = key
    var none = [UInt64](repeating: 0, count: possibleCPUs * TransferPrograms.Count.size / 4)
    let result = lull_bpf_update(counts.number, &key, &none, 1)
    if result < 0, result != -EEXIST { isComplete = false }
  }

  /// What each process did in the windows since this was asked for the last time; nil where some may be missing.
  func take(_ direction: Direction) -> [Int32: Count]? {
    guard isComplete, let totals = totals(direction) else { return nil }
    defer { taken[direction.rawValue] = totals }
    return totals.merging(taken[direction.rawValue]) { $0 - $1 }
  }

  private func totals(_ direction: Direction) -> [Int32: Count]? {
    var totals = ended.mapValues { $0[direction.rawValue] }
    guard attached != nil else { return totals }
    var keys: [Int32] = []
    var key: Int32 = 0
    var found = lull_bpf_next_key(counts.number, nil, &key)
    while found == 0, keys.count < Int(Self.mostProcesses) {
      keys.append(key)
      var next: Int32 = 0
      found = lull_bpf_next_key(counts.number, &key, &next)
      key = next
    }
    for key in keys {
      let count = value(of: key)[direction.rawValue]
      guard count != Count() else { continue }
      let pid = processID(key)
      guard pid > 0 else { return nil }
      totals[pid, default: Count()] += count
    }
    return totals
  }

  private func add(_ value: [Count], to table: inout [Int32: [Count]], of pid: Int32) {
    guard value.contains(where: { $0 != Count() }) else { return }
    var sum = table[pid] ?? [Count(), Count()]
    for index in sum.indices { sum[index] += value[index] }
    table[pid] = sum
  }

  /// Sends and receives of a process, of all CPUs together.
  private func value(of key: Int32) -> [Count] {
    let words = TransferPrograms.Count.size / 8
    var values = [UInt64](repeating: 0, count: possibleCPUs * 2 * words)
    var key = key
    var sum = [Count(), Count()]
    guard lull_bpf_lookup(counts.number, &key, &values) == 0 else { return sum }
    for start in stride(from: 0, to: values.count, by: words) {
      sum[start / words % 2] += Count(
        calls: values[start], transfers: values[start + 1], bytes: values[start + 2])
    }
    return sum
  }
}
