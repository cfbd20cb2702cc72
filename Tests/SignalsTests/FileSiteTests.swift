import Quantities
import Testing

@testable import Signals
@testable import TraceModel

@Suite struct FileSiteTests {
  private func operation(
    _ milliseconds: UInt64, _ path: String, stack: Int? = nil, tid: Int32 = 7,
    kind: FileOperation.Kind = .read
  ) -> FileOperation {
    FileOperation(
      time: Timestamp(nanoseconds: milliseconds * 1_000_000), pid: 7, tid: tid, kind: kind,
      path: path, target: .regular, bytes: 10, weight: 1, duration: nil, stack: stack, offset: nil)
  }

  @Test func `a file without a stack has that which its thread had nearest in time`() {
    let sites = FileSites([
      operation(100, "/a", stack: 1), operation(130, "/b", stack: 2),
      operation(131, "/log", stack: 3, kind: .write),
    ])
    #expect(sites.stack(of: operation(110, "/c")) == 1)
    #expect(sites.stack(of: operation(120, "/c")) == 2)
    #expect(sites.stack(of: operation(170, "/c")) == 2)
    #expect(sites.stack(of: operation(110, "/c", kind: .write)) == 3)
  }

  @Test func `it has none where its file has some, or its thread none at that time`() {
    let sites = FileSites([operation(100, "/a", stack: 1)])
    #expect(sites.stack(of: operation(100, "/a", stack: 5)) == 5)
    #expect(sites.stack(of: operation(101, "/a")) == nil)
    #expect(sites.stack(of: operation(142, "/c")) == nil)
    #expect(sites.stack(of: operation(101, "/c", tid: 8)) == nil)
    #expect(sites.stack(of: operation(101, "/c", kind: .write)) == nil)
    #expect(sites.stack(of: operation(101, "/c", kind: .sync)) == nil)
  }
}
