/// Which thread is known to run on each CPU, from the records of its ring: that need not be told again.
struct RunningThreads {
  /// CPUs from here on are not followed.
  static let most: Int32 = 1024
  /// No thread's id.
  private static let unknown = Int32.min

  private let memory: GrowingMemory
  /// By CPU; the first place is for samples that do not tell theirs.
  private let threads: UnsafeMutablePointer<Int32>

  init() {
    let count = Int(Self.most) + 1
    memory = GrowingMemory(byteCount: count * MemoryLayout<Int32>.stride)
    threads = memory.base.bindMemory(to: Int32.self, capacity: count) + 1
    forget()
  }

  /// Something came between that was not looked at.
  func forget() { (threads - 1).update(repeating: Self.unknown, count: Int(Self.most) + 1) }

  /// Whether a CPU, or that it is not told, -1, has a place here.
  @inline(__always)
  static func holds(_ cpu: Int32) -> Bool {
    UInt32(bitPattern: cpu &+ 1) <= UInt32(most)
  }

  /// As `forget`, on that CPU.
  @inline(__always)
  func forget(_ cpu: Int32) { threads[Int(cpu)] = Self.unknown }

  /// Whether it is known that the thread runs on the CPU.
  @inline(__always)
  func isKnown(_ tid: Int32, on cpu: Int32) -> Bool { threads[Int(cpu)] == tid }

  /// Takes in a sample of a thread on a CPU, of which the plan tells what it shows; 1 where that was known.
  @inline(__always)
  func note(
    _ tid: Int32, on cpu: Int32, _ plan: UnsafePointer<SamplePlan>, next: Int32
  ) -> UInt8 {
    let known = threads[Int(cpu)]
    threads[Int(cpu)] = plan.pointee.isSwitch ? next : plan.pointee.showsRun > 0 ? tid : known
    return (known == tid ? 1 : 0) & plan.pointee.showsRun
  }
}
