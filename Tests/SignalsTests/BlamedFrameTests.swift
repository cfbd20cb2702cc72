import Signals
import Testing
import TraceModel

@Suite struct BlamedFrameTests {
  private func frame(
    _ function: String?, module: String = "libc.so", kernel: Bool = false, program: Bool = false
  ) -> Frame {
    var frame = Frame.gap
    (frame.function, frame.module, frame.moduleOffset) = (function, module, 16)
    (frame.isKernel, frame.isProgram) = (kernel, program)
    return frame
  }

  /// The same stack as a report keeps it.
  private func shown(_ frames: [Frame]) -> [StackFrame] {
    frames.drop { $0.isKernel }.map {
      StackFrame(function: $0.displayName, module: $0.module, isProgram: $0.isProgram)
    }
  }

  private func expect(_ name: String?, of frames: [Frame]) {
    #expect(frames.blamed?.displayName == name)
    #expect(shown(frames).blamed?.function == name)
  }

  @Test func `the program's innermost function is to blame`() {
    expect(
      "load()",
      of: [
        frame("schedule", module: "[kernel]", kernel: true), frame("read"), .gap,
        frame("load()", module: "server", program: true),
        frame("main", module: "server", program: true),
      ])
  }

  @Test func `without one of the program's it is the idle wait's`() {
    expect(
      "g_main_context_iteration",
      of: [.gap, frame("poll"), frame("g_main_context_iteration", module: "libglib.so")])
  }

  @Test func `else the innermost with a name, else the innermost`() {
    expect("read", of: [frame(nil), frame("read"), frame("start")])
    expect("libc.so+0x10", of: [.gap, frame(nil), frame(nil, module: "libm.so")])
  }

  @Test func `a gap is nobody, and the kernel only where there is nothing else`() {
    expect(nil, of: [.gap])
    let kernel = [frame("schedule", module: "[kernel]", kernel: true), .gap]
    #expect(kernel.blamed?.displayName == "schedule")
  }
}
