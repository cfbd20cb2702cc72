/// Says to the programs in the kernel where processes run what is in their serial queues: a wait there has the stack of
/// its own queue, whatever functions it is in.
struct KernelQueues {
  private let programs: KernelPrograms
  /// Processes that were looked at as they are now.
  private var known: Set<Int32> = []

  init(_ programs: KernelPrograms) { self.programs = programs }

  /// A process waited with a stack; returns whether it has just become known where it runs queues.
  mutating func waited(_ pid: Int32) -> Bool {
    guard known.insert(pid).inserted, let memory = ProcessMemory(of: pid),
      let layout = QueueLayout(pid: pid, MemoryMapping.all(of: pid), memory), !layout.drain.isEmpty
    else { return false }
    return programs.tellDrain(layout.drain, of: pid)
  }

  /// It maps a file, of libdispatch perhaps, or runs another program.
  mutating func mapped(_ path: String, by pid: Int32) {
    if path.hasSuffix("/libdispatch.so") { known.remove(pid) }
  }

  mutating func began(_ pid: Int32) { known.remove(pid) }

  mutating func ended(_ pid: Int32) {
    known.remove(pid)
    programs.forgetDrain(of: pid)
  }
}
