import Foundation

/// `blocker`: a run-loop program that blocks its main thread a known number of times, for a known time, by one cause.
enum Blocker {
  static let keys = ["cause", "count", "ms", "gap", "path"]

  static func run(_ arguments: Arguments) throws {
    let cause = try arguments.choice("cause", BlockingCause.sleep)
    let count = try arguments.integer("count", 3)
    let milliseconds = try arguments.integer("ms", 300)
    let gap = try arguments.number("gap", 200)
    let path = arguments.text("path", "/var/tmp/lull-\(getpid())-blocker.dat")
    let block = try makeBlock(cause, milliseconds: milliseconds, path: path)
    let program = BlockerProgram(
      cause: cause, count: count, gap: gap / 1000, path: path, block: block)
    program.scheduleNext()
    runMainRunLoop()
  }
}

/// How a main thread can be kept from its event loop.
enum BlockingCause: String, CaseIterable {
  case file, fsync, lock, semaphore, sleep, network, child, compute, process, runLoop
}

/// One use of a blocking call; returns how many operations it took.
typealias Block = () throws -> Int

/// The state of a running blocker, touched by the main thread alone.
private final class BlockerProgram: @unchecked Sendable {
  let cause: BlockingCause
  let gap: Double
  let path: String
  let block: Block
  var remaining: Int
  var operations = 0
  var spans: [Truth.Span] = []

  init(cause: BlockingCause, count: Int, gap: Double, path: String, block: @escaping Block) {
    self.cause = cause
    self.gap = gap
    self.path = path
    self.block = block
    remaining = count
  }

  func scheduleNext() {
    onMain(after: gap) { [self] in fire() }
  }

  func fire() {
    guard remaining > 0 else { finish() }
    remaining -= 1
    do {
      let (start, cpu) = (monotonicNow(), threadCPUTime())
      operations += try block()
      spans.append(
        Truth.Span(startNs: start, endNs: monotonicNow(), cpuNs: threadCPUTime() - cpu))
    } catch {
      fail(error)
    }
    scheduleNext()
  }

  func finish() -> Never {
    var truth = Truth("blocker")
    truth.cause = cause.rawValue
    truth.count = spans.count
    truth.spans = spans
    switch cause {
    case .fsync:
      unlink(path)
      truth.path = path
      truth.syncs = operations
      truth.writes = operations
    case .network:
      truth.bytesSent = operations
      truth.bytesReceived = operations
    default: break
    }
    truth.printAndExit()
  }
}
