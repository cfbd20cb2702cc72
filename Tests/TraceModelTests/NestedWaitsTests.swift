import Quantities
import Testing

@testable import TraceModel

/// Waits for events within an event loop's work, by the stacks of a thread's waits and their order.
@Suite struct NestedWaitsTests {
  private static let libraries = [
    "poll": "libc.so.6", "epoll_wait": "libc.so.6", "curl_wait": "libcurl.so",
  ]

  private func frame(_ function: String) -> Frame {
    guard function != "gap" else { return .gap }
    return Frame(
      function: function, fullName: nil, module: Self.libraries[function] ?? "server",
      moduleOffset: 0, file: nil, line: nil, isKernel: false,
      isProgram: Self.libraries[function] == nil && function != "interpret")
  }

  /// A thread that waits 10 ms at each of these places in turn, given by their functions, the innermost first.
  private func causes(_ waits: [[String]]) -> [WaitCause] {
    var table = StackTable()
    var intervals: [ThreadInterval] = []
    for (index, functions) in waits.enumerated() {
      let start = Timestamp(nanoseconds: UInt64(index) * 11_000_000)
      let end = start + TimeSpan(nanoseconds: 10_000_000)
      let frames = functions.map { table.intern(frame($0)) }
      intervals.append(
        ThreadInterval(
          start: start, end: end, state: .blocked(.eventWait), stack: table.intern(stack: frames)))
      intervals.append(
        ThreadInterval(start: end, end: end + TimeSpan(nanoseconds: 1_000_000), state: .running))
    }
    var threads = [
      ThreadModel(
        tid: 7, pid: 7, name: "", start: Timestamp(nanoseconds: 0),
        intervals: ThreadHistory(intervals))
    ]
    var nested = NestedWaits(table)
    nested.tell(&threads)
    let history = threads[0].intervals
    let found = history.compactMap { interval -> WaitCause? in
      if case .blocked(let cause) = interval.state { cause } else { nil }
    }
    let idle = found.count { $0 == .eventWait }
    let end = Timestamp(nanoseconds: UInt64(waits.count) * 11_000_000)
    #expect(history.times(before: end).idle.nanoseconds == Int64(idle) * 10_000_000)
    #expect(history.totals.eventWaits == idle)
    return found
  }

  private let loop = ["epoll_wait", "main"]
  private let fetch = ["poll", "curl_wait", "fetch", "main"]

  @Test func `a library that polls in what the loop calls is no loop`() {
    #expect(
      causes([loop, loop, fetch, fetch, loop, fetch, loop])
        == [.eventWait, .eventWait, .other, .other, .eventWait, .other, .eventWait])
  }

  @Test func `it may be the last that a program does`() {
    #expect(causes([loop, fetch, loop, fetch]) == [.eventWait, .other, .eventWait, .other])
  }

  /// A program looks names up as it begins, and goes to its loop then.
  @Test func `a loop that comes after another wait is none within it`() {
    #expect(causes([loop, fetch, fetch, fetch]).allSatisfy { $0 == .eventWait })
    #expect(causes([fetch, fetch, loop, loop]).allSatisfy { $0 == .eventWait })
  }

  @Test func `two loops side by side are both idle`() {
    let menu = ["poll", "curl_wait", "menu", "main"]
    #expect(causes([fetch, menu, fetch, menu, fetch]).allSatisfy { $0 == .eventWait })
  }

  @Test func `an interpreter that is called again is in its loop's work`() {
    let select = ["epoll_wait", "select", "interpret", "main"]
    let read = ["poll", "receive", "interpret", "step", "interpret", "main"]
    #expect(
      causes([select, read, select, read, select])
        == [.eventWait, .other, .eventWait, .other, .eventWait])
  }

  // urlopen() is deeper in Debian's Python than what is taken of a stack.
  @Test func `it is also where the loop's part of its stack was not taken`() {
    let select = ["epoll_wait", "select", "interpret", "main"]
    let read = ["poll", "receive", "read", "interpret", "step", "gap"]
    #expect(
      causes([select, read, select, read, select])
        == [.eventWait, .other, .eventWait, .other, .eventWait])
    let menu = ["poll", "receive", "read", "choose", "menu", "gap"]
    #expect(causes([select, menu, select, menu, select]).allSatisfy { $0 == .eventWait })
  }

  @Test func `of hundreds of waits sums are kept at every mark`() {
    let waits = (0..<400).map { $0 % 4 == 3 ? fetch : loop } + [loop]
    #expect(causes(waits).count { $0 == .other } == 100)
  }

  private func cause(_ functions: [String], kernel: [String]) -> WaitCause {
    let frames = kernel.map { name in
      var frame = frame(name)
      frame.isKernel = true
      return frame
    }
    return WaitClassifier.cause(of: frames + functions.map(frame))
  }

  @Test func `who polls for a peer's answer waits for the network`() {
    let kernel = ["schedule", "do_sys_poll"]
    #expect(
      cause(["poll", "send_dg", "__res_context_send", "getaddrinfo", "main"], kernel: kernel)
        == .network)
    #expect(
      cause(["poll", "curl_wait", "curl_easy_perform", "fetch", "main"], kernel: kernel) == .network
    )
    #expect(cause(["poll", "PQgetResult", "main"], kernel: []) == .network)
    #expect(cause(["getaddrinfo", "main"], kernel: []) == .network)
    #expect(cause(["poll", "curl_wait", "main"], kernel: kernel) == .eventWait)
    #expect(cause(["poll", "main"], kernel: kernel) == .other)
  }
}
