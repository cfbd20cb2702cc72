import PerfData
import Quantities
import TraceModel

/// Measures the subject's footprint.
enum MemoryMeasure {
  /// A slope over less than this says nothing of a leak.
  static let shortestForGrowth = 5.0
  /// Samples before this are the program's start-up.
  static let settling = 1.0

  static func measure(_ subject: SubjectView, main: ThreadModel?) -> MemorySignal? {
    let all = subject.trace.footprints.filter { $0.pid == subject.pid }
    let process = subject.trace.subject
    guard let last = all.last, let first = all.first,
      !process.outlivedReadings(every: subject.trace.capture?.intervalNs ?? 0)
    else { return nil }
    let samples = all.map {
      MemorySample(
        time: subject.time($0.time), footprintBytes: $0.sample.footprint,
        residentBytes: $0.sample.resident)
    }
    // A program begins with nothing: what is highest at its first reading came before that.
    let readings = (subject.trace.startsLate ? [] : [FootprintSample()]) + all.map(\.sample)
    var signal = MemorySignal(
      peakFootprintBytes: FootprintPeak.of(readings, atEnd: process.peakResidentBytes),
      endFootprintBytes: last.sample.footprint,
      peakResidentBytes: max(
        all.map(\.sample.peakResident).max() ?? 0, process.peakResidentBytes ?? 0))
    signal.leastPeakFootprintBytes = FootprintPeak.of(readings)
    fillEnd(&signal, all, process, every: subject.trace.capture?.intervalNs ?? 0)
    let attached = subject.trace.startsLate
    signal.majorFaults = Int(
      clamping: last.sample.majorFaults &- (attached ? first.sample.majorFaults : 0))
    signal.minorFaults = Int(
      clamping: last.sample.minorFaults &- (attached ? first.sample.minorFaults : 0))
    signal.samples = thinned(samples)
    if let main, all.count >= 3 {
      // The turn of the launch fills the memory for good; it is no spike.
      let turns = subject.turns(of: main, keeping: TimeSpan(nanoseconds: 1_000_000))
      let launch = attached ? nil : turns.first?.start
      signal.spikes = MemorySpikeMeasure.measure(
        all, turns: turns.long.filter { $0.start != launch }, in: subject)
      signal.spikesMeasured = true
    }

    let age = subject.trace.ageAtStart?.seconds
    let begin = attached ? 0 : subject.time(subject.start)
    let origin = begin + (age.map { max(0, settling - $0) } ?? 0)
    let settled = betweenTurns(samples.filter { $0.time >= origin }, main, subject)
    fillGrowth(&signal, settled, age: age)
    return signal
  }

  /// The kernel's counts of pages, which each CPU gathers by itself, are off by so much.
  private static let leastRise: UInt64 = 512 << 10
  /// Of a life of fewer readings what the last one tells is a matter of chance.
  private static let fewReadings: UInt64 = 5

  /// What is read nearer to the end is read as the program exits.
  private static let longestExit = TimeSpan(nanoseconds: 100_000)

  /// What the last reading does not tell of the end, which came after it.
  private static func fillEnd(
    _ signal: inout MemorySignal, _ readings: [Footprint], _ process: ProcessModel,
    every interval: UInt64
  ) {
    guard interval > 0, let end = process.end, var last = readings.last else { return }
    let before = readings.dropLast().last
    if let before, end - last.time < longestExit, last.sample.hasSameMemory(as: before.sample) {
      // Its counts of files were read once more, when its memory was gone: that is as it was.
      last = before
    }
    guard end - last.time >= longestExit else { return }
    func isLonger(_ span: TimeSpan, than readings: UInt64) -> Bool {
      span >= TimeSpan(nanoseconds: Int64(clamping: readings * interval))
    }
    let isShort = !isLonger(end - (process.programStart ?? process.start), than: fewReadings)
    // Half a distance for what makes a reading late.
    let isLate = (end - last.time).seconds > 1.5e-9 * Double(interval)
    if isShort || isLate { signal.unreadSecondsAtEnd = (end - last.time).seconds }
    if let peak = process.peakResidentBytes {
      signal.peakIsLeast =
        peak > last.sample.peakResident + leastRise
        && peak > signal.peakFootprintBytes + last.sample.file + leastRise
    } else {
      signal.isPeakBounded = !(isShort || isLate)
      signal.peakIsLeast = isShort || isLate
    }
  }

  /// `age` is that of the program as the recording begins, in seconds; nil where it is not known.
  private static func fillGrowth(
    _ signal: inout MemorySignal, _ settled: [MemorySample], age: Double?
  ) {
    guard let begin = settled.first, let end = settled.last,
      end.time - begin.time >= shortestForGrowth
    else { return }
    func slope(_ samples: some Sequence<MemorySample>) -> TheilSen? {
      TheilSen(samples.map { (x: $0.time / 60, y: Double($0.footprintBytes)) })
    }
    let middle = (begin.time + end.time) / 2
    let showsStart = (age ?? .infinity) < MemorySignal.warmUp
    let later = showsStart ? settled.filter { $0.time >= middle } : settled
    guard let found = slope(later) else { return }
    signal.growthBytesPerMinute = found.slope
    signal.growthInterval = [found.interval.lowerBound, found.interval.upperBound]
    signal.secondsSinceStart = age.map { max(0, $0 - settling) + end.time - begin.time }
    guard showsStart else { return }
    signal.earlierGrowthBytesPerMinute = slope(settled.filter { $0.time < middle })?.slope
  }

  /// The readings taken while the main thread waited for events, where they are enough: what a turn holds only until
  /// its end is no leak.
  private static func betweenTurns(
    _ samples: [MemorySample], _ main: ThreadModel?, _ subject: SubjectView
  ) -> [MemorySample] {
    guard let main else { return samples }
    let waits = subject.history(of: main).filter { $0.state == .blocked(.eventWait) }
    var index = 0
    let idle = samples.filter { sample in
      while index < waits.count, subject.time(waits[index].end) < sample.time { index += 1 }
      return index < waits.count && subject.time(waits[index].start) <= sample.time
    }
    return idle.count >= fewestBetweenTurns ? idle : samples
  }

  private static let fewestBetweenTurns = 8

  /// At most this many samples go into the report, the peak always among them.
  private static let mostSamples = 600

  private static func thinned(_ samples: [MemorySample]) -> [MemorySample] {
    guard samples.count > mostSamples else { return samples }
    let step = (samples.count + mostSamples - 1) / mostSamples
    return stride(from: 0, to: samples.count, by: step).compactMap { start in
      samples[start..<min(start + step, samples.count)].max {
        $0.footprintBytes < $1.footprintBytes
      }
    }
  }
}

extension FootprintSample {
  fileprivate func hasSameMemory(as other: FootprintSample) -> Bool {
    footprint == other.footprint && resident == other.resident && file == other.file
      && peakResident == other.peakResident
  }
}
