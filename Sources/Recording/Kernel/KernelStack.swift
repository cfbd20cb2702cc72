import CBPF
import PerfData

/// A stack as a program in the kernel took it.
struct KernelStack {
  var pid: Int32
  var tid: Int32
  var time: UInt64
  /// The kernel's functions, from the innermost.
  private(set) var kernel: [UInt64] = []
  /// As perf writes it: markers before the kernel's and the program's addresses.
  var callchain: [UInt64] = []
  /// In perf's order, as `EventPlan.stackRegisters` asks for them.
  var registers: [UInt64] = []
  /// From the stack pointer on.
  var bytes: [UInt8] = []

  // PERF_CONTEXT_KERNEL and PERF_CONTEXT_USER.
  private static let inKernel = UInt64(bitPattern: -128)
  private static let inProgram = UInt64(bitPattern: -512)

  #if arch(arm64)
    /// x0…x30, sp and pc come first in the kernel's structure, in perf's order.
    private static let places = Array(0..<33)
  #else
    /// ax, bx, cx, dx, si, di, bp, sp, ip, flags, cs, ss and r8…r15 in the kernel's struct pt_regs.
    private static let places = [
      10, 5, 11, 12, 13, 14, 4, 19, 16, 18, 17, 20, 9, 8, 7, 6, 3, 2, 1, 0,
    ]
  #endif

  init(_ record: UnsafeRawPointer) {
    let head = record.load(as: lull_kernel_head.self)
    time = head.time
    let ids = record + MemoryLayout<lull_kernel_head>.size
    pid = ids.load(as: Int32.self)
    tid = ids.load(fromByteOffset: 4, as: Int32.self)
    let sizes = ids.load(fromByteOffset: 8, as: lull_kernel_stack_sizes.self)
    func words(_ place: Int, _ size: Int32) -> [UInt64] {
      (0..<max(0, Int(size) / 8)).map {
        record.load(fromByteOffset: place + 8 * $0, as: UInt64.self)
      }
    }
    kernel = words(Int(lull_kernel_stack_kernel), sizes.kernel)
    let user = words(Int(lull_kernel_stack_user), sizes.user)
    callchain = [Self.inKernel] + kernel + (user.isEmpty ? [] : [Self.inProgram] + user)
    let raw = words(Int(lull_kernel_stack_registers), sizes.registers)
    if let last = Self.places.max(), raw.count > last { registers = Self.places.map { raw[$0] } }
    bytes = Array(
      UnsafeRawBufferPointer(
        start: record + Int(lull_kernel_stack_bytes), count: max(0, Int(sizes.stack))))
  }
}
