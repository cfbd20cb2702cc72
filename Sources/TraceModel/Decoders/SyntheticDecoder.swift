import PerfData
import Quantities

/// The recorder's own events.
enum SyntheticDecoder {
  static func footprint(_ context: DecodingContext, _ state: inout LoaderState) {
    guard let raw = context.sample.raw, let sample = FootprintSample(decoding: raw) else {
      return
    }
    state.tables.footprints.append(
      Footprint(time: context.time, pid: context.pid, sample: sample))
  }

  static func process(_ context: DecodingContext, _ state: inout LoaderState) {
    guard let event: ProcessEvent = decode(context, &state) else { return }
    let pid = Int32(truncatingIfNeeded: event.pid)
    if let folder = event.workingFolder { state.folders.told(pid, folder) }
    guard event.kind != .moved else { return }
    state.processes.described(event, at: context.time)
    for thread in event.threads ?? [] {
      state.schedule.begin(
        tid: Int32(truncatingIfNeeded: thread.tid), pid: pid, name: thread.name, at: context.time)
    }
  }

  static func descriptor(_ context: DecodingContext, _ state: inout LoaderState) {
    guard let event: DescriptorEvent = decode(context, &state) else { return }
    state.descriptors.seen(
      pid: Int32(truncatingIfNeeded: event.pid), fd: event.fd, path: event.path,
      kind: event.kind, size: event.size, flags: event.flags, format: event.format,
      at: context.time)
  }

  static func capture(_ context: DecodingContext, _ state: inout LoaderState) {
    // It is read before all else, and again in its place: the one that was written at the end counts.
    guard var event: CaptureEvent = decode(context, &state) else { return }
    if let known = state.capture {
      // Each part of a recording has its own.
      let (part, last) = (event.part ?? 0, known.part ?? 0)
      guard part >= last else { return }
      if part > last {
        if known.complete { state.partsBefore = known }
      } else if !event.complete {
        // Those that were written meanwhile tell more and more, up to the one at the end.
        if known.complete { return }
        if let time = state.captureTime, context.time < time { return }
      }
    }
    if let before = state.partsBefore { event = before.merged(with: event) }
    state.capture = event
    state.captureTime = context.time
    state.schedule.repeats =
      switch event.recorder {
      case CaptureEvent.kernelRecorder: .untilSaid
      case CaptureEvent.processRecorder: .said
      default: .none
      }
    state.schedule.mayMissArrivals = event.recorder == CaptureEvent.kernelRecorder
    state.schedule.takesLateStacks = event.recorder == CaptureEvent.outsideRecorder
    state.schedule.lookedAt = Set((event.processesLookedAt ?? []).map { Int32(clamping: $0) })
    state.weights = SampleWeights(event.slices ?? [], sampled: event.sampled)
  }

  static func counter(_ context: DecodingContext, _ state: inout LoaderState) {
    guard let event: CounterEvent = decode(context, &state) else { return }
    let known = state.tables.counters.firstIndex { $0.name == event.name }
    if known == nil {
      state.tables.counters.append(CounterSeries(name: event.name, unit: event.unit, value: 0))
    }
    state.tables.counters[known ?? state.tables.counters.count - 1].append(event, at: context.time)
  }

  static func mark(_ context: DecodingContext, _ state: inout LoaderState) {
    guard let event: MarkEvent = decode(context, &state) else { return }
    state.tables.marks.append(
      MarkRecord(
        time: context.time, pid: context.pid,
        tid: event.tid.map { Int32(truncatingIfNeeded: $0) } ?? context.tid, event: event))
  }

  static func trigger(_ context: DecodingContext, _ state: inout LoaderState) {
    if let event: TriggerEvent = decode(context, &state) { state.trigger = event }
  }

  static func content(_ context: DecodingContext, _ state: inout LoaderState) {
    guard let event: ContentEvent = decode(context, &state) else { return }
    state.tables.contents.append(ContentReading(time: context.time, pid: context.pid, event: event))
  }

  static func held(_ context: DecodingContext, _ state: inout LoaderState) {
    guard let event: HeldEvent = decode(context, &state) else { return }
    if event.isHeld {
      state.tables.held.append(HeldResource(event, pid: context.pid, start: context.time))
    } else if let last = state.tables.held.lastIndex(where: {
      $0.pid == context.pid && $0.end == nil && $0.event.kind == event.kind
        && $0.event.identifier == event.identifier
    }) {
      state.tables.held[last].end = context.time
    }
  }

  static func wait(_ context: DecodingContext, _ state: inout LoaderState) {
    guard let raw = context.sample.raw, let event = EarlierStackEvent(decoding: raw) else { return }
    state.schedule.waits(
      tid: context.tid, asAt: Timestamp(nanoseconds: event.stack))
  }

  static func queue(_ context: DecodingContext, _ state: inout LoaderState) {
    guard let event: QueueEvent = decode(context, &state) else { return }
    let label = event.label.isEmpty ? nil : event.label
    state.stacks.queue(event.address, of: context.pid, label: label)
  }

  static func threadIDs(_ context: DecodingContext, _ state: inout LoaderState) {
    guard let event: ThreadIDsEvent = decode(context, &state) else { return }
    for thread in event.threads {
      state.kernelThreadIDs?.learn(thread.tid, is: thread.kernelTid, at: context.time)
    }
  }

  static func kernelSymbol(_ context: DecodingContext, _ state: inout LoaderState) {
    if let event: KernelSymbolEvent = decode(context, &state) { state.stacks.add(event) }
  }

  static func symbol(_ context: DecodingContext, _ state: inout LoaderState) {
    if let event: SymbolEvent = decode(context, &state) { state.stacks.add(event) }
  }

  static func stack(_ context: DecodingContext, _ state: inout LoaderState) {
    if let event = StackEvent(scanning: context.payload) ?? decode(context, &state) {
      state.stacks.add(event)
    }
  }

  private static func decode<Event: SyntheticPayload>(
    _ context: DecodingContext, _ state: inout LoaderState
  ) -> Event? {
    guard let part = context.sample.raw, let raw = state.parts.add(part, of: Event.event) else {
      return nil
    }
    return try? Event(decoding: raw)
  }
}
