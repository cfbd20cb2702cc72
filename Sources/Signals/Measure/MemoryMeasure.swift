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
