import CBPF

/// Says to the programs in the kernel where processes have code, by which stacks are told from one another, and where
/// they run what is in their serial queues: a wait there has the stack of its own queue, whatever functions it is in.
struct KernelCode {
  private let programs: KernelPrograms
  /// Processes that were looked at as they are now.
  private var known: Set<Int32> = []
  /// Those that are to be looked at again, or at all, without another of their stacks: one that was told before says
  /// nothing, and is taken for each with the same functions.
  private var changed: Set<Int32> = []
  /// How often those were looked at that have a libdispatch of which nothing can be told.
  private var looks: [Int32: Int] = [:]
  private static let mostLooks = 20

  init(_ programs: KernelPrograms) { self.programs = programs }

  /// A process waited with a stack; returns whether it has just become known where it runs queues.
  mutating func waited(_ pid: Int32) -> Bool {
    guard !changed.contains(pid), known.insert(pid).inserted else { return false }
    let mappings = MemoryMapping.all(of: pid)
    guard !mappings.isEmpty else { return false }
    let layout = ProcessMemory(of: pid).flatMap { QueueLayout(pid: pid, mappings, $0) }
    if layout == nil, mappings.contains(where: { Self.isDispatch($0.path) }),
      looks[pid, default: 0] < Self.mostLooks
    {
      // Its main queue is not there yet: the library was mapped a moment ago.
      looks[pid, default: 0] += 1
      known.remove(pid)
      changed.insert(pid)
      return false
    }
    looks[pid] = nil
    let drain = layout?.drain ?? 0..<0
    return programs.tell(Self.code(of: mappings, drain: drain), of: pid) && !drain.isEmpty
  }

  /// It maps a file, perhaps a library: what was known of it would take addresses in the new code for none.
  mutating func mapped(_ path: String, by pid: Int32) {
    let hadWaited = forget(pid)
    if hadWaited || Self.isDispatch(path) { changed.insert(pid) }
  }

  /// It runs another program, or has ended.
  mutating func isOther(_ pid: Int32) {
    forget(pid)
    changed.remove(pid)
    looks[pid] = nil
  }

  /// Looks at what has changed; returns whether a process has become known by it where it runs queues.
  mutating func lookAgain() -> Bool {
    let pids = changed
    changed.removeAll()
    // All of them.
    return pids.reduce(false) { waited($1) || $0 }
  }

  private static func isDispatch(_ path: some StringProtocol) -> Bool {
    path.hasSuffix("/libdispatch.so")
  }

  @discardableResult private mutating func forget(_ pid: Int32) -> Bool {
    guard known.remove(pid) != nil else { return false }
    programs.forgetCode(of: pid)
    return true
  }

  static func code(of mappings: [MemoryMapping], drain: Range<UInt64>) -> lull_kernel_code {
    var code = lull_kernel_code()
    code.drain_start = drain.lowerBound
    code.drain_size = UInt64(drain.count)
    withUnsafeMutableBytes(of: &code.steps) { bytes in
      let steps = bytes.bindMemory(to: UInt64.self)
      for mapping in mappings where mapping.isExecutable {
        let first = mapping.start >> UInt64(LULL_KERNEL_CODE_STEP_BITS)
        let last = (mapping.end - 1) >> UInt64(LULL_KERNEL_CODE_STEP_BITS)
        // More than there are bits sets them all.
        for step in first...min(last, first + UInt64(steps.count * 64)) {
          steps[Int(step / 64) % steps.count] |= 1 << (step % 64)
        }
      }
    }
    return code
  }
}
