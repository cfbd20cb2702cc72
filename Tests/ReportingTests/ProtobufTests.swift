import ExportFormats
import Testing

/// The encoding's own examples, and what surrounds them.
@Suite struct ProtobufTests {
  private struct Message: ProtobufMessage {
    var fields: @Sendable (inout ProtobufWriter) -> Void
    func write(to writer: inout ProtobufWriter) { fields(&writer) }
  }

  @Test func `fields are written as the encoding has them`() throws {
    func bytes(_ fields: @escaping @Sendable (inout ProtobufWriter) -> Void) throws -> [UInt8] {
      try Message(fields: fields).serializedBytes()
    }
    // protobuf.dev/programming-guides/encoding.
    #expect(try bytes { $0.add(1, 150) } == [0x08, 0x96, 0x01])
    #expect(try bytes { $0.add(2, "testing") } == [0x12, 0x07] + Array("testing".utf8))
    #expect(
      try bytes { $0.add(6, packed: [3, 270, 86_942]) }
        == [0x32, 0x06, 0x03, 0x8e, 0x02, 0x9e, 0xa7, 0x05])
    let inner = Message { $0.add(1, 150) }
    #expect(try bytes { $0.add(3, inner) } == [0x1a, 0x03, 0x08, 0x96, 0x01])
    // A negative number is as long as a 64-bit one.
    #expect(
      try bytes { $0.add(1, Int32(-2)) } == [0x08, 0xfe] + Array(repeating: 0xff, count: 8) + [1])
    #expect(try bytes { $0.addFixedUnlessZero(3, 1) } == [0x19, 1, 0, 0, 0, 0, 0, 0, 0])
    #expect(
      try bytes {
        $0.addUnlessZero(1, 0)
        $0.addUnlessEmpty(2, "")
        $0.add(3, packed: [Int]())
        $0.addFixedUnlessZero(4, 0)
        $0.add(5, Int?.none)
      }.isEmpty)
    #expect(try bytes { $0.add(1, 0) } == [0x08, 0])
  }

  @Test func `what is written is read again, and what is no message is none`() throws {
    let bytes = try Message {
      $0.add(1, UInt64.max)
      $0.add(2, "text")
      $0.addFixedUnlessZero(3, 5)
    }.serializedBytes()
    let fields = try #require(ProtobufReader.fields(of: bytes[...]))
    #expect(fields.map(\.number) == [1, 2, 3])
    #expect(fields[0].value == .number(.max) && fields[1].value == .bytes(Array("text".utf8)[...]))
    for count in [1, 10, 12, bytes.count - 1] {
      #expect(ProtobufReader.fields(of: bytes.prefix(count)) == nil)
    }
    #expect(ProtobufReader.fields(of: [0x0b]) == nil)
    #expect(ProtobufReader.fields(of: Array(repeating: 0xff, count: 20)[...]) == nil)
  }
}
