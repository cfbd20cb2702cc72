import Foundation
import LullMarks

/// A program that marks its own phases and intervals.
enum Marker {
  static let keys = ["count", "ms", "mb"]

  /// `marker`: ready after 50 ms, intervals of a known length, then the background, in which it frees `mb`.
  static func run(_ arguments: Arguments) throws {
    let count = try arguments.integer("count", 3)
    let milliseconds = try arguments.number("ms", 100)
    let megabytes = try arguments.integer("mb", 32)
    let memory = Ballast(megabytes: megabytes)
    onMain(after: 0.05) { mark("ready") }
    runBesideMainRunLoop {
      usleep(200_000)
      var truth = Truth("marker")
      var spans: [Truth.Span] = []
      for _ in 0..<count {
        let begin = monotonicNow()
        let interval = MarkedInterval("work")
        pause(milliseconds: milliseconds)
        interval.end()
        spans.append(Truth.Span(startNs: begin, endNs: monotonicNow(), cpuNs: 0))
      }
      truth.count = count
      truth.spans = spans
      mark("background")
      memory.free()
      usleep(2_500_000)
      return truth
    }
  }

  /// Memory that is touched, and given back.
  private final class Ballast: @unchecked Sendable {
    private let size: Int
    private var base: UnsafeMutableRawPointer?

    init(megabytes: Int) {
      size = megabytes << 20
      base = mmap(nil, max(size, 1), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
      if let base, base != MAP_FAILED { memset(base, 1, size) }
    }

    func free() {
      if let base, base != MAP_FAILED { munmap(base, max(size, 1)) }
      base = nil
    }
  }
}
