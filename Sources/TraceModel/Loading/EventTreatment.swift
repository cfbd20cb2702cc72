import PerfData

/// What a trace is read for.
enum LoadingPurpose {
  case trace
  /// The names of its stacks alone, which takes no memory for what else it tells.
  case names
  case traceAndNames

  var wantsTrace: Bool { self != .names }
  /// Which samples have names is noted.
  var findsNames: Bool { self != .trace }
}

/// What is made of the samples of one attribute, in few bytes, since every sample asks.
struct EventTreatment {
  var frequent: FrequentEvent.Kind?
  /// Of samples that show that their threads run, where no other record would: whether they are a tracepoint's.
  var showsRuns: Bool?
}

/// What is made of each of a file's attributes, by its place.
struct FileEvents {
  let decoded: ContiguousArray<DecodedEvent>
  let handlers: ContiguousArray<EventHandler?>
  let treatments: ContiguousArray<EventTreatment>
  /// Of which attributes the samples hold copies of stacks that may be taken out.
  let areCopies: [Bool]
  /// The names of the events that tell what they are to.
  let names: Set<String>
  /// What to ask the reader for.
  let demands: [SampleDemand]
  /// No SWITCH record tells when a thread gets a CPU: what it does there has to.
  let infersRuns: Bool
  /// The trace tells when threads got a CPU and left it.
  let tellsRuns: Bool
  /// Of which event the samples of the CPUs are.
  let processorEvent: ProcessorEvent?
  /// Lull recorded it.
  let isOwn: Bool
  /// The trace has every call's end: Lull's own recordings have the exits of some calls alone, and so have those of
  /// perf that were filtered.
  let countsCalls: Bool

  private static let waking = "sched:sched_waking"
  /// What the report says of a recording of Lull's own which has wakes but for those of its threads: the recorder took
  /// the ids in them for the namespace's.
  static let wakesWereMissed = CaptureEvent.Unavailable(
    signal: "wakeups",
    reason:
      "it was recorded in a PID namespace (a container) by a Lull that did not know the threads'"
      + " ids there: record it anew")

  /// Tracepoints' fields name threads by other ids than samples do.
  let isNamespaced: Bool
  /// See `wakesWereMissed`.
  let missesWakes: Bool

  init(_ file: PerfDataFile, for purpose: LoadingPurpose = .trace) {
    isNamespaced = NamespaceCheck(file).isNamespaced()
    let attributes = file.attributes
    var names = Set(attributes.map(\.name))
    infersRuns =
      purpose.wantsTrace && names.contains("sched:sched_switch")
      && !attributes.contains(where: \.tellsSwitches)
    isOwn = names.contains(SyntheticEvent.capture.rawValue)
    countsCalls = !isOwn && !file.features.commandLine.contains { $0.hasPrefix("--filter") }
    missesWakes =
      isNamespaced && isOwn && !names.contains(SyntheticEvent.threadIDs.rawValue)
    if missesWakes { names.remove(Self.waking) }
    self.names = names
    let processor = ProcessorEvent.choose(among: attributes, isOwn: isOwn)
    processorEvent = processor.event
    tellsRuns =
      names.contains("sched:sched_switch") || attributes.contains(where: \.tellsSwitches)
    handlers = ContiguousArray(
      attributes.map { attribute in
        guard attribute.samplingRank == nil || processor.isTaken(attribute) else { return nil }
        let handler = EventDispatch.handler(for: attribute)
        return purpose.wantsTrace ? handler : handler?.forNames
      })
    let areCopies = attributes.map { purpose.findsNames && StackRemoval.concerns($0) }
    self.areCopies = areCopies
    decoded = ContiguousArray(
      attributes.map { attribute in
        // PERF_TYPE_TRACEPOINT is 2; the numbers of other types mean something else.
        let id = attribute.type == 2 ? Int(exactly: attribute.config) : nil
        return DecodedEvent(
          attribute: attribute, format: id.flatMap { file.features.tracepoints[$0] })
      })
    var treatments = ContiguousArray<EventTreatment>()
    var demands: [SampleDemand] = []
    for (index, attribute) in attributes.enumerated() {
      var frequent: FrequentEvent?
      if let kind = handlers[index]?.frequent, !areCopies[index] {
        frequent = FrequentEvent(
          isNamespaced ? kind.namespaced() : kind, attribute,
          payload: file.fixedPayload(ofAttribute: index),
          format: decoded[index].format, countsCalls: countsCalls)
      }
      let treatment = EventTreatment(
        frequent: frequent?.kind,
        showsRuns: infersRuns || (isOwn && attribute.samplingRank != nil)
          ? attribute.showsRuns : nil)
      treatments.append(treatment)
      // Who runs on a CPU is followed by ids that are of one kind.
      demands.append(
        areCopies[index]
          ? SampleDemand(.name)
          : Self.demand(
            frequent, treatment, handlers[index], followsRuns: infersRuns && !isNamespaced))
    }
    self.treatments = treatments
    self.demands = demands
  }

  private static func demand(
    _ frequent: FrequentEvent?, _ treatment: EventTreatment, _ handler: EventHandler?,
    followsRuns: Bool
  ) -> SampleDemand {
    if let frequent {
      var demand = frequent.demand
      if frequent.kind == .scheduleSwitch, followsRuns { demand.tells = .switch }
      if treatment.showsRuns == true, followsRuns { demand.tells = .run }
      return demand
    }
    if handler?.inPlace != nil { return SampleDemand(.name) }
    if let byTracepoint = treatment.showsRuns {
      return SampleDemand(byTracepoint && followsRuns ? .run : .values)
    }
    return SampleDemand(handler != nil ? .ignore : .count)
  }
}

extension EventAttribute {
  /// Of samples that show that their threads run: whether they are a tracepoint's. A switch tells more itself.
  fileprivate var showsRuns: Bool? {
    // Of PERF_TYPE_HARDWARE, _SOFTWARE (but BPF's output) and _TRACEPOINT.
    type <= 2 && !(type == 1 && config == 10) && !name.hasPrefix("sched:sched_switch")
      ? type == 2 : nil
  }
}
