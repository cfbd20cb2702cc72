import Foundation
import LullMarks

/// A program that is interrupted and comes back, or that is launched in the background.
enum Phases {
  static let keys = ["launch", "work", "lag"]
  private static let pieces = 40

  /// `phases`: with `launch` it says at its start that it is in the background, and computes for so many milliseconds.
  /// Else it is interrupted after a second, computes for `work` milliseconds in pieces, and comes back after three
  /// seconds, for which it computes for `lag` milliseconds.
  static func run(_ arguments: Arguments) throws {
    let launch = try arguments.number("launch", 0)
    let work = try arguments.number("work", 0)
    let lag = try arguments.number("lag", 0)
    if launch > 0 {
      mark("background")
      _ = timed(launch)
      var truth = Truth("phases")
      truth.seconds = Double(processCPUTime()) / 1e9
      let end = truth
      onMain(after: 3) { end.printAndExit() }
    } else {
      let spans = Spans()
      onMain(after: 0.05) { mark("ready") }
      onMain(after: 1) { mark("inactive") }
      // In forty pieces, as by a timer that was not stopped.
      for piece in 0..<pieces where work > 0 {
        onMain(after: 1.05 + Double(piece) * 0.07) {
          spans.work += timed(work / Double(pieces)).cpuNs
        }
      }
      onMain(after: 4) {
        mark("active")
        spans.list.append(timed(lag))
      }
      onMain(after: 5) {
        var truth = Truth("phases")
        truth.spans = [Truth.Span(startNs: 0, endNs: 0, cpuNs: spans.work)] + spans.list
        truth.printAndExit()
      }
    }
    runMainRunLoop()
  }

  private static func timed(_ milliseconds: Double) -> Truth.Span {
    let (start, before) = (monotonicNow(), threadCPUTime())
    if milliseconds > 0 { _ = computeOnThisThread(nanoseconds: UInt64(milliseconds * 1e6)) }
    return Truth.Span(startNs: start, endNs: monotonicNow(), cpuNs: threadCPUTime() - before)
  }

  /// What only the main thread touches.
  private final class Spans: @unchecked Sendable {
    var list: [Truth.Span] = []
    var work: UInt64 = 0
  }
}
