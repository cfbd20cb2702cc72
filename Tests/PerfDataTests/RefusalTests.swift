import PerfData
import TestSupport
import Testing

struct RefusalTests {
  private func message(_ bytes: [UInt8]) -> String {
    do throws(PerfDataError) {
      _ = try PerfDataFile(bytes: bytes)
      return "no error"
    } catch { return error.description }
  }

  @Test func `what is no trace is refused`() {
    #expect(message([]).contains("not a perf.data file"))
    #expect(message(Array("hello, world, this is text".utf8)).contains("PERFILE2"))
  }

  @Test func `the other byte order is refused by name`() {
    #expect(
      message(Array("2ELIFREP".utf8) + [UInt8](repeating: 0, count: 96)).contains("byte-swap"))
  }

  @Test func `pipe mode is refused with what to do`() {
    var bytes = SmallTrace.bytes
    bytes[8] = 16
    #expect(message(bytes).contains("perf record -o FILE"))
  }

  @Test func `compressed records are refused with what to do`() {
    let compressed: [UInt8] = [81, 0, 0, 0, 0, 0, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8]
    let bytes = PerfDataWriter.file(
      attributes: SmallTrace.attributes, records: compressed, features: SmallTrace.features)
    #expect(message(bytes).contains("without -z"))
  }

  @Test func `a missing file and a directory are named`() throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    for path in [directory.path + "/none", directory.path] {
      do throws(PerfDataError) {
        _ = try PerfDataFile(path: path)
        Issue.record("no error")
      } catch { #expect(error.description.contains(path)) }
    }
  }

  @Test func `an error says how many bytes were there and where`() {
    let error = PerfDataError(
      .outOfBounds(what: "field", needed: 8, available: 2), offset: 0x30)
    #expect(error.description == "field needs 8 bytes, 2 available at offset 0x30")
  }
}
