import CBPF
import Glibc

/// The programs that record in the kernel (Sources/KernelPrograms), loaded by libbpf.
///
/// What they do ends with this process, whatever ends it: the kernel takes them away with their descriptors.
final class KernelPrograms {
  private let programs: OpaquePointer
  /// A bit for each process that there may be.
  private let targets: UnsafeMutablePointer<UInt64>
  private static let targetBytes = Int(LULL_KERNEL_MOST_IDS) / 8
  private let sums: Int32
  private let losses: Int32
  private let settings: Int32

  /// Why recording in the kernel is not possible here, and what would help.
  struct Absence: Error {
    var cause: String
    var error: Int32?
    var fix: String?
  }

  /// What the programs look up at each event.
  private struct Settings {
    var hasSums: UInt64 = 0
    var since: UInt64 = 0
    var fromQueue: Int64 = 0
  }
  private var set = Settings()

  /// Loads them; they run from `attach` on.
  init() throws(Absence) {
    try Self.findLoader()
    var fromQueue: Int64 = 0
    let isCountKnown = lull_bpf_interrupt_count(&fromQueue)
    #if !arch(arm64)
      // arm64 counts in each thread, of which the programs know.
      guard isCountKnown else {
        throw Absence(cause: "the kernel does not say where it counts interrupts")
      }
    #endif
    let loaded = try Self.load(PackageResources.recorder_bpf_o)
    guard let bits = lull_bpf_map_memory(lull_bpf_map(loaded, "targets"), Self.targetBytes) else {
      lull_bpf_programs_free(loaded)
      throw Absence(cause: "the programs' memory cannot be shared", error: errno)
    }
    programs = loaded
    targets = bits
    sums = lull_bpf_map(loaded, "sums")
    losses = lull_bpf_map(loaded, "losses")
    settings = lull_bpf_map(loaded, "settings")
    set.fromQueue = isCountKnown ? fromQueue : 0
    tell()
  }

  deinit {
    lull_bpf_map_unshare(targets, Self.targetBytes)
    lull_bpf_programs_free(programs)
  }

  private static func findLoader() throws(Absence) {
    guard lull_bpf_library() else {
      throw Absence(cause: "libbpf.so.1 is not installed", fix: "apt-get install libbpf1")
    }
    guard access("/sys/kernel/btf/vmlinux", R_OK) == 0 else {
      throw Absence(
        cause: "the kernel does not describe its types (CONFIG_DEBUG_INFO_BTF)", error: errno)
    }
    guard PIDNamespace.isInitial else {
      throw Absence(cause: "programs in the kernel know threads by the ids of the machine alone")
    }
  }

  /// Loads the programs of an object.
  static func load(_ object: [UInt8]) throws(Absence) -> OpaquePointer {
    try findLoader()
    var error: Int32 = 0
    var what: UnsafePointer<CChar>?
    guard let loaded = lull_bpf_programs_load(object, object.count, &error, &what) else {
      let isRefused = error == EPERM || error == EACCES
      throw Absence(
        cause: what.map { String(cString: $0) } ?? "the programs cannot be loaded", error: error,
        fix: isRefused ? "run as root, or with CAP_BPF and CAP_PERFMON" : nil)
    }
    return loaded
  }

  private func tell() {
    var zero: UInt32 = 0
    _ = lull_bpf_map_set(settings, &zero, &set)
  }

  /// From here on the programs run.
  func attach() throws(Absence) {
    let result = lull_bpf_programs_attach(programs)
    guard result == 0 else {
      throw Absence(cause: "the kernel lets the programs not run", error: -result)
    }
  }

  func detach() { lull_bpf_programs_detach(programs) }

  /// Records a process with all its threads; those that it starts are recorded by themselves.
  func add(_ pid: Int32) { mark(pid, true) }

  func remove(_ pid: Int32) { mark(pid, false) }

  private func mark(_ pid: Int32, _ isTarget: Bool) {
    guard (0..<Int32(LULL_KERNEL_MOST_IDS)).contains(pid) else { return }
    lull_bpf_mark(targets, UInt32(pid), isTarget)
  }

  /// Stacks that were told before are told again.
  func tellStacksAgain(since time: UInt64) {
    set.since = time
    tell()
  }

  /// Records that found no room, so far.
  var lost: UInt64 {
    var (zero, count) = (UInt32(0), UInt64(0))
    return lull_bpf_map_get(losses, &zero, &count) == 0 ? count : 0
  }

  /// Whether anything was added up since this was asked for the last time.
  func takeHasSums() -> Bool {
    var (zero, current) = (UInt32(0), Settings())
    guard lull_bpf_map_get(settings, &zero, &current) == 0, current.hasSums != 0 else {
      return false
    }
    tell()
    return true
  }

  /// What was transferred at each socket, beside what was told singly.
  func readSums() -> [(socket: lull_kernel_socket, sum: lull_kernel_sum)] {
    let room = 1024
    var keys = [lull_kernel_socket](repeating: .init(), count: room)
    var values = [lull_kernel_sum](repeating: .init(), count: room)
    var result: [(socket: lull_kernel_socket, sum: lull_kernel_sum)] = []
    var (goesOn, position) = (false, UInt64(0))
    repeat {
      let count = lull_bpf_map_read(sums, &goesOn, &position, &keys, &values, room)
      for index in 0..<count { result.append((keys[index], values[index])) }
    } while goesOn
    return result
  }

  func forget(_ socket: lull_kernel_socket) {
    var key = socket
    _ = lull_bpf_map_remove(sums, &key)
  }

  /// Says who takes what the ring holds.
  func open(_ take: lull_bpf_take, _ context: UnsafeMutableRawPointer) throws(Absence) {
    let result = lull_bpf_ring_open(programs, "ring", take, context)
    guard result == 0 else {
      throw Absence(cause: "there is no room for the programs' ring", error: -result)
    }
  }

  func drain() { _ = lull_bpf_ring_drain(programs) }
}
