import Testing

@testable import TraceModel

@Suite struct SerialDrainTests {
  @Test func `a queue's label is read behind the function that drains it`() {
    func label(_ queue: String) -> String? {
      SerialDrain.label(in: "_dispatch_lane_serial_drain " + queue)
    }
    #expect(label(SerialDrain.of("my.work")) == "my.work")
    #expect(label(SerialDrain.of("with (brackets) (queue x)")) == "with (brackets) (queue x)")
    #expect(label(SerialDrain.ofOtherQueue)?.isEmpty == true)
    #expect(label(SerialDrain.ofMainQueue) == nil)
    #expect(SerialDrain.label(in: "_dispatch_lane_serial_drain") == nil)
    #expect(SerialDrain.label(in: "empty (queue my.work)") == nil)
  }
}
