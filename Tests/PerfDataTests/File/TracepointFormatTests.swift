import PerfData
import TestSupport
import Testing

struct TracepointFormatTests {
  @Test func `fields have their type, place and sign`() throws {
    let text = BuiltTracepoint.schedSwitch.formatText
    let format = try #require(TracepointFormat(parsing: text, system: "sched"))
    #expect(format.name == "sched_switch")
    #expect(format.id == 372)
    #expect(format.fields.count == 11)
    let comm = try #require(format.field("prev_comm"))
    #expect(
      comm
        == TracepointField(
          name: "prev_comm", typeName: "char", offset: 8, size: 16, isSigned: false,
          isArray: true))
    #expect(format.field("prev_state")?.isSigned == true)
    #expect(format.field("none") == nil)
  }

  @Test func `pointers and dynamic strings are told`() throws {
    let format = BuiltTracepoint.socketSend.format
    #expect(format.field("sk")?.typeName == "void *")
    let open = BuiltTracepoint.open.format
    #expect(open.field("path")?.isDynamic == true)
    let raw = RawPayload(
      bytes: BuiltTracepoint.open.payload(["flags": 0o1101], texts: ["path": "/tmp/a"]))
    #expect(open.field("path")?.string(in: raw) == "/tmp/a")
    #expect(open.field("flags")?.integer(in: raw) == 0o1101)
    #expect(open.field("path")?.integer(in: raw) == nil)
  }

  @Test func `relative locations count from behind the field`() {
    let field = TracepointField(
      name: "s", typeName: "__rel_loc char[]", offset: 0, size: 4, isSigned: false,
      isDynamic: true)
    let raw = RawPayload(bytes: [2, 0, 3, 0, 9, 9, 0x61, 0x62, 0x63])
    #expect(field.string(in: raw) == "abc")
  }

  @Test func `payloads too short give nothing`() {
    let format = BuiltTracepoint.open.format
    for length in 0..<24 {
      let raw = RawPayload(bytes: [UInt8](repeating: 0xff, count: length))
      for field in format.fields where field.offset + field.size > length {
        #expect(field.integer(in: raw) == nil)
        #expect(field.string(in: raw) == nil)
      }
    }
  }

  @Test func `text that is no format gives nothing`() {
    #expect(TracepointFormat(parsing: "") == nil)
    #expect(TracepointFormat(parsing: "name: x\nfield:;offset:;\n") == nil)
    #expect(TracepointFormat(parsing: "name: x\nID: 1\nformat:\n\tfield:;\n")?.fields == [])
  }
}
