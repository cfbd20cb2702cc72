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
