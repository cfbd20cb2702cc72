import CBPF
import Glibc
import Resources

/// The programs that record in the kernel (Sources/KernelPrograms), loaded by libbpf.
///
/// What they do ends with this process, whatever ends it: the kernel takes them away with their descriptors.
final class KernelPrograms {
  let programs: OpaquePointer
  /// A bit for each process that there may be.
  private let targets: UnsafeMutablePointer<UInt64>
  private static let targetBytes = Int(LULL_KERNEL_MOST_IDS) / 8
  /// Calls that come again and again.
  private let repeats: UnsafeMutablePointer<UInt64>
  private static let repeatBytes =
    KernelRepeats.Sort.allCases.count * Int(LULL_KERNEL_REPEATS)
    * MemoryLayout<lull_kernel_repeat>.size
  /// What was transferred at sockets.
  private let sums: UnsafeMutablePointer<UInt64>
  private static let sumBytes = Int(LULL_KERNEL_SUMS) * MemoryLayout<lull_kernel_sum>.stride
  /// A bit for each place of these that a socket has.
  private let usedSums: UnsafeMutablePointer<UInt64>
  private static let usedSumBytes = Int(LULL_KERNEL_SUMS) / 8
  private let losses: Int32
  private let settings: Int32
  private let codes: Int32

  /// Why recording in the kernel is not possible here, and what would help.
  struct Absence: Error {
    var cause: String
    var error: Int32?
    var fix: String?
  }

  /// What the programs look up at each event.
  private var set = lull_kernel_settings.ofCalls

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
    let loaded = try Self.load(Resources.recorder)
    guard let bits = lull_bpf_map_memory(lull_bpf_map(loaded, "targets"), Self.targetBytes),
      let repeats = lull_bpf_map_memory(lull_bpf_map(loaded, "repeats"), Self.repeatBytes),
      let sums = lull_bpf_map_memory(lull_bpf_map(loaded, "sums"), Self.sumBytes),
      let usedSums = lull_bpf_map_memory(lull_bpf_map(loaded, "used_sums"), Self.usedSumBytes)
    else {
      let error = errno
      lull_bpf_programs_free(loaded)
      throw Absence(cause: "the programs' memory cannot be shared", error: error)
    }
    programs = loaded
    targets = bits
    self.repeats = repeats
    self.sums = sums
    self.usedSums = usedSums
    losses = lull_bpf_map(loaded, "losses")
    settings = lull_bpf_map(loaded, "settings")
    codes = lull_bpf_map(loaded, "codes")
    set.from_queue = isCountKnown ? fromQueue : 0
    tell()
  }

  deinit {
    lull_bpf_map_unshare(targets, Self.targetBytes)
    lull_bpf_map_unshare(repeats, Self.repeatBytes)
    lull_bpf_map_unshare(sums, Self.sumBytes)
    lull_bpf_map_unshare(usedSums, Self.usedSumBytes)
    lull_bpf_programs_free(programs)
  }

  private static func findLoader() throws(Absence) {
    guard lull_bpf_library() else {
      throw Absence(cause: "libbpf.so.1 is not installed", fix: "apt-get install libbpf1")
    }
    guard access("/sys/kernel/btf/vmlinux", R_OK) == 0 else {
      let error = errno
      // A pod's or a unit's /sys may be hidden.
      let isSeen = access("/sys/kernel", F_OK) == 0
      throw Absence(
        cause: isSeen
          ? "the kernel does not describe its types (CONFIG_DEBUG_INFO_BTF)"
          : "there is no /sys/kernel here, where the kernel describes its types (BTF)",
        error: error)
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
    // One that comes to be on later writes to the ring that all share.
    let rings = UInt32((SystemInfo.onlineCPUs().max() ?? 0) + 1)
    guard let loaded = lull_bpf_programs_load(object, object.count, rings, &error, &what) else {
      let isRefused = error == EPERM || error == EACCES
      throw Absence(
        cause: what.map { String(cString: $0) } ?? "the programs cannot be loaded", error: error,
        fix: isRefused ? "run as root, or with CAP_BPF and CAP_PERFMON" : nil)
    }
    return loaded
  }

  /// Whether the programs had said so as they were told something else, which takes it back.
  private var hadSums = false

  private func tell() {
    var (zero, current) = (UInt32(0), lull_kernel_settings())
    if lull_bpf_map_get(settings, &zero, &current) == 0, current.has_sums != 0 { hadSums = true }
    _ = lull_bpf_map_set(settings, &zero, &set)
  }

  /// From here on the programs run.
  func attach() throws(Absence) {
    let result = lull_bpf_programs_attach(programs)
    guard result == 0 else {
      throw Absence(cause: "the kernel lets the programs not run", error: -result)
    }
  }

  /// Runs a program at a place in a file that a process maps; gives a descriptor that ends it, or an error below 0.
  func probe(
    _ program: String, at offset: UInt64, of path: String, in pid: Int32, returns: Bool
  ) -> Int32 {
    lull_bpf_probe(programs, program, path, offset, pid, returns)
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

  /// Where a process has code; false where there is no room for it.
  func tell(_ code: lull_kernel_code, of pid: Int32) -> Bool {
    var key = UInt32(bitPattern: pid)
    var code = code
    return lull_bpf_map_set(codes, &key, &code) == 0
  }

  func forgetCode(of pid: Int32) {
    var key = UInt32(bitPattern: pid)
    _ = lull_bpf_map_remove(codes, &key)
  }

  /// Records that found no room, so far.
  var lost: UInt64 {
    var (zero, count) = (UInt32(0), UInt64(0))
    return lull_bpf_map_get(losses, &zero, &count) == 0 ? count : 0
  }

  /// Whether anything was added up since this was asked for the last time.
  func takeHasSums() -> Bool {
    tell()
    defer { hadSums = false }
    return hadSums
  }

  /// What was transferred at each socket, beside what was told singly, with its place.
  func readSums() -> [(place: UInt32, sum: lull_kernel_sum)] {
    let memory = UnsafeRawPointer(sums).assumingMemoryBound(to: lull_kernel_sum.self)
    var result: [(place: UInt32, sum: lull_kernel_sum)] = []
    var place = lull_bpf_next_sum(usedSums, 0)
    while place < UInt32(LULL_KERNEL_SUMS) {
      result.append((place, memory[Int(place)]))
      place = lull_bpf_next_sum(usedSums, place + 1)
    }
    return result
  }

  /// The row of equal calls at a place: which it is, and how many followed the first.
  func row(at place: Int) -> KernelRepeats.Row {
    let row = UnsafeRawPointer(repeats) + place * MemoryLayout<lull_kernel_repeat>.stride
    var (generation, count, bytes) = (UInt32(0), UInt64(0), UInt64(0))
    lull_bpf_row(row, &generation, &count, &bytes)
    return KernelRepeats.Row(generation: generation, sum: .init(count: count, bytes: bytes))
  }

  /// What was transferred there is not wanted any longer, and its place is another's.
  func forget(_ place: UInt32) { lull_bpf_forget_sum(sums, usedSums, place) }

  /// Says who takes what the ring holds.
  func open(_ take: lull_bpf_take, _ context: UnsafeMutableRawPointer) throws(Absence) {
    let result = lull_bpf_ring_open(programs, "ring", take, context)
    guard result == 0 else {
      throw Absence(cause: "there is no room for the programs' ring", error: -result)
    }
  }

  /// How much of its room the fullest ring had taken.
  @discardableResult
  func drain() -> Double {
    Double(lull_bpf_ring_drain(programs)) / Double(LULL_KERNEL_RING_BYTES)
  }
}
