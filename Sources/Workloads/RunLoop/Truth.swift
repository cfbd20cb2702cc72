import Foundation
import Synchronization

/// Nanoseconds of CLOCK_MONOTONIC, the clock of the trace.
func monotonicNow() -> UInt64 { clock(CLOCK_MONOTONIC) }

/// Nanoseconds of CPU time of the calling thread.
func threadCPUTime() -> UInt64 { clock(CLOCK_THREAD_CPUTIME_ID) }

/// Nanoseconds of CPU time of the process.
func processCPUTime() -> UInt64 { clock(CLOCK_PROCESS_CPUTIME_ID) }

private func clock(_ id: clockid_t) -> UInt64 {
  var time = timespec()
  clock_gettime(id, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// What a workload did, as it knows itself: one line of JSON on standard output when it ends.
struct Truth: Encodable {
  /// One stretch of the main thread's life whose length is known.
  struct Span: Encodable {
    let startNs: UInt64
    let endNs: UInt64
    let cpuNs: UInt64
  }

  var workload: String
  var pid = Int(getpid())
  var cause: String?
  var spans: [Span]?
  var count: Int?
  var writes: Int?
  var bytes: Int?
  var syncs: Int?
  var renames: Int?
  var path: String?
  var sends: Int?
  var receives: Int?
  var bytesSent: Int?
  var bytesReceived: Int?
  var peakBytes: Int?
  var endBytes: Int?
  var seconds: Double?
  /// Filled in as the line is printed.
  var usage: Usage?

  init(_ workload: String) { self.workload = workload }

  /// Prints the line and ends the process at once, without the C library's exit handlers.
  func printAndExit() -> Never {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var truth = self
    truth.usage = Usage()
    if var line = try? encoder.encode(truth) {
      line.append(10)
      line.withUnsafeBytes { bytes in
        var done = 0
        while done < bytes.count {
          let count = write(1, bytes.baseAddress?.advanced(by: done), bytes.count - done)
          if count <= 0 { break }
          done += count
        }
      }
    }
    _exit(0)
  }
}

/// Prints why the program cannot go on and ends it.
func fail(_ error: any Error) -> Never {
  switch error {
  case let error as UsageError:
    report("lull-workload: \(error.message)")
    exit(64)
  case let error as SystemError:
    report("lull-workload: \(error.call): \(String(cString: strerror(error.number)))")
  default:
    report("lull-workload: \(error)")
  }
  exit(1)
}

func report(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }

/// Runs `work` on a thread of its own while the main thread waits in its run loop, then prints the truth.
func runBesideMainRunLoop(_ work: @escaping @Sendable () throws -> Truth) -> Never {
  let thread = Thread {
    do { try work().printAndExit() } catch { fail(error) }
  }
  thread.name = "worker"
  thread.start()
  runMainRunLoop()
}

/// Waits in the main run loop for ever; a far timer keeps the loop from finding itself empty.
func runMainRunLoop() -> Never {
  onMain(after: 86_400, repeats: true) {}
  while true { RunLoop.main.run() }
}

/// Runs `body` in the main run loop, `seconds` from now.
///
/// The fire date is given outright: on Linux, `Timer(timeInterval:repeats:block:)` fires first at once.
@discardableResult
func onMain(
  after seconds: Double, repeats: Bool = false, tolerance: Double = 0,
  _ body: @escaping @Sendable () -> Void
) -> Timer {
  let timer = Timer(
    fire: Date(timeIntervalSinceNow: seconds), interval: seconds, repeats: repeats
  ) { _ in body() }
  timer.tolerance = tolerance
  RunLoop.main.add(timer, forMode: .default)
  return timer
}

/// Sleeps the calling thread.
func pause(milliseconds: Double) {
  guard milliseconds > 0 else { return }
  Thread.sleep(forTimeInterval: milliseconds / 1000)
}
