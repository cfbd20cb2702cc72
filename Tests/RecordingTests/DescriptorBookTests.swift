import Glibc
import PerfData
import Testing

@testable import Recording

/// What descriptors are found to stand for, wherever the rounds between a program's calls fall.
@Suite struct DescriptorBookTests {
  /// A call of this process, by its number on every machine.
  private struct Call {
    var number: Int64
    var result: Int64
    var first: UInt64 = 0
    /// What it opens.
    var path: String?

    static func open(_ path: String, as fd: Int64) throws -> Self {
      Self(
        number: Int64(try #require(SystemCallFilter.opens.numbers.max())), result: fd, path: path)
    }

    static func duplicate(_ fd: UInt64, as copy: Int64) throws -> Self {
      Self(
        number: Int64(try #require(SystemCallFilter.duplicates.numbers.max())), result: copy,
        first: fd)
    }

    static func write(_ fd: UInt64) -> Self {
      Self(number: Int64(SystemCallFilter.write), result: 6, first: fd)
    }

    static func close(_ fd: UInt64) -> Self {
      Self(number: SystemCallFilter.close, result: 0, first: fd)
    }
  }

  /// Which descriptors a trace tells of when a process makes these calls, a list for each round.
  private func told(_ rounds: [[Call]]) throws -> [DescriptorEvent] {
    let (sink, writer, path) = try Scratch.sink()
    defer { unlink(path) }
    let book = DescriptorBook(pid: getpid())
    var time: UInt64 = 10
    for (number, calls) in rounds.enumerated() {
      let round = Round(now: time, sink: sink, isLast: number == rounds.count - 1)
      for call in calls {
        time += 10
        if let path = call.path {
          try book.observe(.pathOpening(tid: getpid(), time: time - 1, path: path), round)
        }
        let result = SystemCallResult(
          number: call.number, result: call.result, first: call.first, second: 0, third: 0)
        try book.observe(
          .systemCall(pid: getpid(), tid: getpid(), time: time, call: result), round)
      }
      try book.collect(round)
    }
    try sink.flushWhole()
    try writer.finish(features: FileFeatures())
    return try Scratch.payloads(DescriptorEvent.self, in: try PerfDataFile(path: path))
  }

  /// Numbers that nothing has here: all was over before it could be looked at.
  private static let (first, second): (Int64, Int64) = (900_001, 900_002)

  // The recorder's own, whose numbers those names stand for to it, were told.
  @Test(arguments: [[3], [1, 2], [2, 1]])
  func `by a descriptor's name the recorder looks up none of its own`(_ counts: [Int]) throws {
    let link = Scratch.path("link")
    defer { unlink(link) }
    try #require(symlink("/dev/stdout", link) == 0)
    for name in ["/dev/fd/\(Self.second)", "/dev/stdout", link] {
      var rest = [
        try Call.open(name, as: Self.first), .write(UInt64(Self.first)), .close(UInt64(Self.first)),
      ][...]
      let told = try told(
        counts.map { count in
          defer { rest = rest.dropFirst(count) }
          return Array(rest.prefix(count))
        })
      let own = DescriptorTable.resolve(pid: getpid(), fd: 1)
      for event in told where event.fd == Int(Self.first) {
        #expect(name != "/dev/fd/\(Self.second)", "\(event)")
        #expect(event.kind == own?.kind && event.path == own?.path, "\(event)")
      }
    }
  }

  @Test(arguments: [[5], [1, 4], [2, 3], [3, 2], [4, 1]])
  func `a FIFO that a shell redirected to for a moment is one`(_ counts: [Int]) throws {
    let path = Scratch.path("fifo")
    try #require(mkfifo(path, 0o600) == 0)
    defer { unlink(path) }
    let (first, second) = (UInt64(Self.first), UInt64(Self.second))
    let calls: [Call] = [
      try .open(path, as: Self.first), try .duplicate(first, as: Self.second), .close(first),
      .write(second), .close(second),
    ]
    var rest = calls[...]
    let told = try told(
      counts.map { count in
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
      })
    let written = told.first { $0.fd == Int(second) }
    #expect(written?.kind == .pipe && written?.path == path, "\(told)")
  }

  @Test func `a copy of a known descriptor is not looked at when it is another's again`() throws {
    let path = Scratch.path("log")
    let file = open(path, O_RDWR | O_CREAT, 0o600)
    try #require(file >= 0)
    defer {
      close(file)
      unlink(path)
    }
    // As of `echo >&3`, whose end is not told yet when it is looked at.
    let copy = open("/dev/null", O_WRONLY)
    defer { close(copy) }
    let told = try told([
      [try .open(path, as: Int64(file))],
      [try .duplicate(UInt64(file), as: Int64(copy)), .write(UInt64(copy))],
      [.close(UInt64(copy))],
    ])
    #expect(told.map(\.fd) == [Int(file)] && told.first?.path == path, "\(told)")
  }

  @Test func `what a thread was about to open is not what it opens after a gap`() throws {
    let (sink, _, path) = try Scratch.sink()
    defer { unlink(path) }
    let large = Scratch.path()
    defer { unlink(large) }
    let file = open(large, O_RDWR | O_CREAT, 0o600)
    try #require(file >= 0 && ftruncate(file, 5 << 20) == 0)
    close(file)
    let number = Int64(try #require(SystemCallFilter.opens.numbers.max()))
    func written(after gap: Bool) throws -> UInt64 {
      let book = DescriptorBook(pid: getpid())
      // Where the process works.
      try book.collect(Round(now: 10, sink: sink))
      let round = Round(now: 10, sink: sink, isLast: true)
      let before = sink.byteCount
      try book.observe(.pathOpening(tid: 5, time: 1, path: large), round)
      if gap { try book.observe(.gap, round) }
      try book.observe(
        .systemCall(
          pid: getpid(), tid: 5, time: 2,
          call: SystemCallResult(number: number, result: 9_999, first: 0, second: 0, third: 0)),
        round)
      try book.collect(round)
      return sink.byteCount - before
    }
    #expect(try written(after: false) > 0)
    #expect(try written(after: true) == 0)
  }
}
