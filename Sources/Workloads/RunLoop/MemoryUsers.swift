import CWorkloads
import Foundation

/// Programs whose footprint is known, made of anonymous mappings whose every page is touched.
enum MemoryUsers {
  static let leakerKeys = ["mbPerSecond", "seconds"]
  static let spikerKeys = ["mb", "times", "gap"]
  static let steadyKeys = ["mb", "seconds"]
  static let cacheKeys = ["mb", "seconds", "share", "on"]

  /// Keeps the signal source alive for the life of the process.
  private nonisolated(unsafe) static var listener: (any DispatchSourceSignal)?

  /// `leaker`: grows at a steady pace, ten steps a second.
  static func leaker(_ arguments: Arguments) throws {
    let perSecond = try arguments.number("mbPerSecond", 4)
    let seconds = try arguments.number("seconds", 5)
    let steps = Int(seconds * 10)
    let step = Int(perSecond * 1_048_576 / 10)
    runBesideMainRunLoop {
      let start = monotonicNow()
      for index in 1...max(steps, 1) {
        _ = try Pages(bytes: step)
        pauseUntil(start + UInt64(index) * 100_000_000)
      }
      return memoryTruth("leaker", start: start, peak: steps * step, end: steps * step)
    }
  }

  /// `spiker`: takes and gives back the same amount several times.
  static func spiker(_ arguments: Arguments) throws {
    let bytes = try arguments.integer("mb", 64) << 20
    let times = try arguments.integer("times", 5)
    let gap = try arguments.number("gap", 300)
    runBesideMainRunLoop {
      let start = monotonicNow()
      for _ in 0..<times {
        let pages = try Pages(bytes: bytes)
        pause(milliseconds: gap)
        pages.release()
        pause(milliseconds: gap)
      }
      return memoryTruth("spiker", start: start, peak: bytes, end: 0)
    }
  }

  /// `steady`: takes an amount once and keeps it.
  static func steady(_ arguments: Arguments) throws {
    let bytes = try arguments.integer("mb", 32) << 20
    let seconds = try arguments.number("seconds", 3)
    runBesideMainRunLoop {
      let start = monotonicNow()
      _ = try Pages(bytes: bytes)
      pause(milliseconds: seconds * 1000)
      return memoryTruth("steady", start: start, peak: bytes, end: bytes)
    }
  }

  /// `cache`: holds an amount and gives a share of it back when it is told that memory is short, by SIGUSR1 or
  /// (`on=pressure`) by its memory cgroup.
  static func cache(_ arguments: Arguments) throws {
    let bytes = try arguments.integer("mb", 64) << 20
    let share = try arguments.number("share", 1)
    let seconds = try arguments.number("seconds", 5)
    let kept = try Pages(bytes: bytes - Int(Double(bytes) * share))
    let freed = try Pages(bytes: max(4096, Int(Double(bytes) * share)))
    let start = monotonicNow()
    if arguments.text("on", "signal") == "pressure" {
      Thread.detachNewThread {
        if workload_wait_for_pressure() == 0 { freed.release() }
      }
    } else {
      signal(SIGUSR1, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: SIGUSR1, queue: .global())
      source.setEventHandler { freed.release() }
      source.resume()
      listener = source
    }
    runBesideMainRunLoop {
      pause(milliseconds: seconds * 1000)
      withExtendedLifetime(kept) {}
      return memoryTruth("cache", start: start, peak: bytes, end: bytes)
    }
  }

  private static func pauseUntil(_ time: UInt64) {
    let now = monotonicNow()
    if time > now { pause(milliseconds: Double(time - now) / 1e6) }
  }

  private static func memoryTruth(_ name: String, start: UInt64, peak: Int, end: Int) -> Truth {
    var truth = Truth(name)
    truth.peakBytes = peak
    truth.endBytes = end
    truth.seconds = Double(monotonicNow() - start) / 1e9
    return truth
  }
}

/// Anonymous memory, resident from the start.
private struct Pages: @unchecked Sendable {
  private let base: UnsafeMutableRawPointer
  private let count: Int

  init(bytes: Int) throws {
    count = max(bytes, 4096)
    let pages = mmap(
      nil, count, PROT_READ | PROT_WRITE, Int32(MAP_PRIVATE | MAP_ANONYMOUS), -1, 0)
    guard let pages, pages != MAP_FAILED else { throw SystemError("mmap") }
    base = pages
    for offset in stride(from: 0, to: count, by: 4096) {
      base.storeBytes(of: 1, toByteOffset: offset, as: UInt8.self)
    }
  }

  func release() { munmap(base, count) }
}
