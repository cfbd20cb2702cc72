import PerfData

/// Turns sources to sampling while their rates would slow the target down, and does what else keeps a busy target fast.
///
/// What is done for one that switches or calls the kernel very often is in `RateGovernorSlicing`.
final class RateGovernor {
  /// When a new program last made sources be recorded whole.
  private var lastProgram: UInt64 = 0
  /// From when on events of the task that can be done without are closed.
  var busySince = UInt64.max
  /// From when on CPU samples are those of the CPUs' clocks.
  var clockSince = UInt64.max
  var turnover = TaskTurnover()
  var programs: ProgramProbes
  var slices = SliceClock()
  var takeover: CPUWideTakeover
  /// Counts transfers by process, where the kernel lets us.
  let transfers: TransferCounter?
  var switches = EventRate(EventRate.switches)
  var calls = EventRate(EventRate.systemCalls)
  var lastEvaluation: UInt64 = 0
  let writes = WriteCalls()
  /// The calls that wrote, at the end.
  var written: UInt64?
  /// What was counted of each source before the present part of the recording.
  var counted: [String: UInt64] = [:]

  var states = AdaptiveSource.allCases.map(SourceState.init)
  let events: EventSet
  var list = SpanList<CaptureEvent.SampledSpan>()
  /// What changed over, to be told in the trace.
  var changes: [(source: String, isSampled: Bool, time: UInt64)] = []
  let pid: Int32
  /// When recording began.
  var started: UInt64 = 0
  /// Whether something was sampled at the last look, and when that was told last.
  var wasThinned = false
  var toldMeanwhile: UInt64 = 0
  /// A slice ended in this round.
  var didEndSlice = false
  /// Why something was not recorded to the end.
  var stopped: [Purpose: String] = [:]

  /// New programs make sources be recorded whole once in so long at most: a burst of 10,000 then takes 4 % of a CPU.
  private static let programNanoseconds: UInt64 = 250_000_000

  /// What programs in the kernel record is neither sampled nor sliced.
  let isBesidePrograms: Bool

  init(
    events: EventSet, transfers: TransferCounter?, subject: RecordingSubject,
    besidePrograms: Bool = false
  ) {
    isBesidePrograms = besidePrograms
    self.events = events
    self.transfers = transfers
    pid = subject.pid
    var others: [Int32] = []
    if case .process(let process) = subject {
      writes.found(pid, children: process.strangers)
      others = process.descendants
    } else {
      writes.found(pid)
    }
    transfers?.began(pid)
    programs = ProgramProbes([pid] + others)
    for other in others {
      writes.found(other, by: ProcessStatistics(pid: other)?.parentPid)
      transfers?.began(other)
    }
    takeover = CPUWideTakeover(isPossible: events.canBeTakenOver, isDone: besidePrograms)
    for (index, opened) in events.events.enumerated()
    where !opened.ids.isEmpty && opened.spec.replaced == nil {
      for source in states.indices { states[source].add(index, opened.spec) }
    }
    if events.isForTakeover { takeOver(because: "with so many threads") }
  }

  subscript(source: AdaptiveSource) -> SourceState {
    get { states[source.rawValue] }
    set { states[source.rawValue] = newValue }
  }

  var isInSlice: Bool { slices.isSlicing && slices.isRecording }
  var isBetweenSlices: Bool { slices.isSlicing && !slices.isRecording }

  /// Looks at the rates and changes over what has to be; call after each drain.
  ///
  /// True when everything is recorded again.
  func evaluate(now: UInt64) -> Bool {
    considerEventWaits(now)
    // Between two slices there is nothing to judge by.
    if !isBetweenSlices || didEndSlice {
      considerStopping(now)
      for source in AdaptiveSource.allCases where self[source].sampledEvent != nil {
        if !self[source].isSampled {
          if self[source].isOverLimit(now: now) { sample(source) }
        } else if !slices.isSlicing || !self[source].isHeldSampled {
          if self[source].isCalm(now: now) { recordWhole(source) }
        }
      }
    }
    let isWhole = considerSlicing(now)
    considerTakeover(now)
    considerTurnover(now)
    considerPrograms(now)
    return isWhole
  }

  /// Jobs cannot be sampled; they are recorded or not.
  private func considerStopping(_ now: UInt64) {
    guard self[.jobs].wholeEvent != nil, self[.jobs].isOverLimit(now: now) else { return }
    events.close(
      endJobs(
        "at \(Int(self[.jobs].perSecond)) jobs a second, recording them would have taken more than 2 % of a CPU; "
          + "it was ended, until the next program"))
  }

  /// Ends the recording of jobs in all programs that there are; gives the probes that are to be closed.
  func endJobs(_ reason: String) -> [Int] {
    let probes = events.events.indices.filter {
      events.events[$0].spec.purpose == .concurrency && !events.events[$0].descriptors.isEmpty
    }
    guard !probes.isEmpty else { return [] }
    if stopped[.concurrency] == nil { stopped[.concurrency] = reason }
    return probes
  }

  /// Ends of event waits are recorded from when stacks are sampled on, until they come too fast themselves: one that
  /// began without a stack may end when all are taken again.
  private func considerEventWaits(_ now: UInt64) {
    guard self[.eventWaits].isSampled, self[.eventWaits].isOverLimit(now: now) else { return }
    recordEventWaits(false, from: now)
  }

  /// They tell waits without a stack.
  func recordEventWaits(_ isWanted: Bool, from now: UInt64) {
    self[.eventWaits].accompany(isWanted, from: now, events)
  }

  func sample(_ source: AdaptiveSource) {
    guard let moment = self[source].sample(events, transfers) else { return }
    if source == .stacks { recordEventWaits(true, from: moment) }
    changes.append((self[source].name, true, moment))
  }

  func recordWhole(_ source: AdaptiveSource) {
    guard let moment = self[source].recordWhole(events, transfers) else { return }
    if let span = self[source].endSpan(until: moment, events, transfers) { list.append(span) }
    changes.append((self[source].name, false, moment))
  }

  /// Whether anything is sampled that a new program would make be recorded whole.
  var isSampling: Bool { !slices.isSlicing && states.contains(where: \.isSampling) }

  /// A program begins: the rate of others before it says nothing of its own, so all is recorded until that is too much
  /// again.
  func programBegan(now: UInt64) {
    guard isSampling, now &- lastProgram >= Self.programNanoseconds else { return }
    lastProgram = now
    for source in AdaptiveSource.allCases where self[source].isSampling { recordWhole(source) }
  }
}
