import Foundation
import PerfData
import Testing

@testable import Recording

struct HeldWatchTests {
  /// As fs/locks.c writes it; the third waits for the second.
  private let text = """
    1: POSIX  ADVISORY  WRITE 4711 fe:00:5482612 1073741824 1073742335
    2: FLOCK  ADVISORY  WRITE 815 fe:00:16220522 0 EOF
    2: -> FLOCK  ADVISORY  WRITE 4711 fe:00:16220522 0 EOF
    3: POSIX  ADVISORY  READ  4711 08:01:99 0 EOF
    4: OFDLCK ADVISORY  WRITE -1 08:01:99 0 EOF
    """

  @Test func `locks are those that a recorded process holds`() {
    let found = HeldWatch.locks(text) { $0 == 4711 }
    #expect(
      found == [
        .init(pid: 4711, kind: .fileLock, isExclusive: true, identifier: "POSIX fe:00:5482612"),
        .init(pid: 4711, kind: .fileLock, isExclusive: false, identifier: "POSIX 08:01:99"),
      ])
  }

  /// As logind-inhibit.c writes it.
  @Test func `an inhibitor is told with what it inhibits`() throws {
    let file = """
      # This is private data. Do not parse.
      WHAT=sleep:idle
      MODE=block
      UID=1000
      PID=4711
      WHO=Player
      WHY=Playing
      FIFO=/run/systemd/inhibit/7.ref
      """
    let entry = try #require(HeldWatch.inhibitor(file, file: "7"))
    #expect(entry.pid == 4711 && entry.what == "sleep:idle" && entry.isExclusive)
    #expect(HeldWatch.inhibitor("nonsense", file: "8") == nil)
  }

  @Test func `property lists are told by their first bytes`() throws {
    let list: [String: Any] = ["a": 1]
    for format in [PropertyListSerialization.PropertyListFormat.binary, .xml] {
      let data = try PropertyListSerialization.data(
        fromPropertyList: list, format: format, options: 0)
      let expected =
        format == .binary ? DescriptorEvent.binaryFormat : DescriptorEvent.textFormat
      #expect(PropertyList.format(of: Array(data)[...]) == expected)
    }
  }
}
