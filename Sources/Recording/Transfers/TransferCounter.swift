import CBPF
import Glibc
import PerfData
import Resources

/// Counts in the kernel what each process of the target sends and receives while that is sampled: exactly, whoever
/// makes it.
///
/// An event of a thread counts too, but not by process, not the bytes, and costs at each of its switches; one of a CPU
/// counts for all programs. In a PID namespace, where the recorder of programs in the kernel may not run, nothing else
/// tells whose the bytes are. Needs CAP_BPF and CAP_PERFMON, or root.
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

  private typealias Window = lull_transfer_window

  /// The programs with their maps, once they are wanted.
  private struct Loaded {
    var programs: OpaquePointer
    var counts: Int32
    var windows: Int32
  }

  private var loaded: Loaded?
  /// The kernel did not take them.
  private var isRefused = false
  /// Those that live.
  private var processes: Set<Int32> = []
  /// What processes that ended did, by direction, until it is taken.
  private var ended = Direction.allCases.map { _ in [Int32: Count]() }
  /// All processes had room.
  private var isComplete = true
  /// What was taken of each direction, of processes that live.
  private var taken = Direction.allCases.map { _ in [Int32: Count]() }
  private let possibleCPUs: Int
  /// The programs know a process by its id in the initial namespace.
  private var kernelID: (Int32) -> Int32? = { $0 }
  private var processID: (Int32) -> Int32 = { $0 }

  /// A window begins and ends so much later, in nanoseconds: all CPUs know by then.
  private static let notice: UInt64 = 200_000

  /// Nil where the kernel does not let us; loading the programs takes long, so that it is left until they are wanted.
  init?() {
    guard let possibleCPUs = SystemInfo.possibleCPUs(), lull_bpf_is_allowed() else { return nil }
    self.possibleCPUs = possibleCPUs
  }

  deinit { if let loaded { lull_bpf_programs_free(loaded.programs) } }

  /// Says by which ids the programs know processes, in a PID namespace: nil and -1 where that is not known.
  func translate(
    to kernelID: @escaping (Int32) -> Int32?, from processID: @escaping (Int32) -> Int32
  ) {
    self.kernelID = kernelID
    self.processID = processID
  }

  /// A process of the target that lives.
  func began(_ pid: Int32) {
    guard processes.insert(pid).inserted, loaded != nil else { return }
    // A child is in the map since before it ran.
    if let key = kernelID(pid) { enter(key) }
  }

  /// A process of the target that has ended: its id may be given to another.
  func ended(_ pid: Int32) {
    // A program's first thread may end before the others.
    guard processes.contains(pid), KernelFile.numbers(in: "/proc/\(pid)/task").count < 2
    else { return }
    processes.remove(pid)
    guard let loaded, var key = kernelID(pid) else { return }
    for (direction, count) in value(of: key).enumerated() where count != Count() {
      ended[direction][pid, default: Count()] += count
    }
    _ = lull_bpf_map_remove(loaded.counts, &key)
  }

  /// Begins to count a direction; gives from which moment on, which is over by then. Nil where it cannot.
  func begin(_ direction: Direction) -> UInt64? {
    guard load() else { return nil }
    // Always.
    return agree(direction, { Window(since: $0, until: .max) }, then: Window(since: 0, until: .max))
  }

  /// Ends counting a direction; gives from which moment on it does not count, which is over by then.
  func end(_ direction: Direction) -> UInt64? {
    guard loaded != nil else { return nil }
    return agree(direction, { Window(since: 1, until: $0) }, then: Self.never)
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

  private static let never = Window(since: .max, until: 0)

  private func set(_ direction: Direction, _ window: Window) -> Bool {
    guard let loaded else { return false }
    var (key, value) = (UInt32(direction.rawValue), window)
    return lull_bpf_map_set(loaded.windows, &key, &value) == 0
  }

  private func load() -> Bool {
    if loaded != nil { return true }
    let keys = processes.compactMap(kernelID)
    guard !isRefused, keys.count == processes.count else { return false }
    let object = Resources.transfers
    var error: Int32 = 0
    var what: UnsafePointer<CChar>?
    guard let programs = lull_bpf_programs_load(object, object.count, 0, &error, &what) else {
      isRefused = true
      return false
    }
    loaded = Loaded(
      programs: programs, counts: lull_bpf_map(programs, "counts"),
      windows: lull_bpf_map(programs, "windows"))
    guard Direction.allCases.allSatisfy({ set($0, Self.never) }),
      lull_bpf_programs_attach(programs) == 0
    else {
      lull_bpf_programs_free(programs)
      loaded = nil
      isRefused = true
      return false
    }
    // From here on who is created is in the map.
    for key in keys { enter(key) }
    return true
  }

  private func enter(_ key: Int32) {
    guard let loaded else { return }
    var key = key
    var none = [lull_transfer_counts](repeating: .init(), count: possibleCPUs)
    let result = lull_bpf_map_add(loaded.counts, &key, &none)
    if result < 0, result != -EEXIST { isComplete = false }
  }

  /// What each process did in the windows since this was asked for the last time; nil where some may be missing.
  func take(_ direction: Direction) -> [Int32: Count]? {
    guard isComplete, let living = living(direction) else { return nil }
    defer {
      taken[direction.rawValue] = living
      ended[direction.rawValue] = [:]
    }
    var all = living
    for (pid, count) in ended[direction.rawValue] { all[pid, default: Count()] += count }
    return all.merging(taken[direction.rawValue]) { $0 - $1 }
  }

  /// What the processes that live have done since they began.
  private func living(_ direction: Direction) -> [Int32: Count]? {
    var totals: [Int32: Count] = [:]
    guard let loaded else { return totals }
    var keys: [Int32] = []
    var key: Int32 = 0
    var found = lull_bpf_map_next(loaded.counts, nil, &key)
    while found == 0, keys.count < Int(LULL_TRANSFER_PROCESSES) {
      keys.append(key)
      var next: Int32 = 0
      found = lull_bpf_map_next(loaded.counts, &key, &next)
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

  /// Sends and receives of a process, of all CPUs together.
  private func value(of key: Int32) -> [Count] {
    var values = [lull_transfer_counts](repeating: .init(), count: possibleCPUs)
    var key = key
    var sum = [Count(), Count()]
    guard let loaded, lull_bpf_map_get(loaded.counts, &key, &values) == 0 else { return sum }
    for value in values {
      sum[0] += Count(value.sends)
      sum[1] += Count(value.receives)
    }
    return sum
  }
}

extension TransferCounter.Count {
  fileprivate init(_ count: lull_transfer_count) {
    self.init(calls: count.calls, transfers: count.transfers, bytes: count.bytes)
  }
}
