import PerfData

/// How to treat the records of one event.
struct DrainSource {
  /// Nil for those that are the target's alone.
  private(set) var owner: EventSpec.Owner?
  private(set) var phase = EventSpec.Phase.always
  private(set) var payload = EventSpec.Payload.nothing
  private(set) var adaptive = -1
  private(set) var isSampled = false
  /// How many events a record stands for.
  private(set) var weight: UInt64 = 1
  private(set) var hasCallchain = false
  /// Its records tell with what stack a thread blocks.
  private(set) var tellsWaits = false
  /// How much farther its fields are than `SamplePlaces(.base)` says: the instruction pointer comes before the thread.
  private(set) var shift: UInt64 = 0
  /// Offsets in the raw payload of what `owner` or `payload` ask for.
  private(set) var first: UInt64 = 0
  private(set) var second: UInt64 = 0
  private(set) var third: UInt64 = 0
  /// Offset in the raw payload of the thread that made the event; nil where there is no payload.
  private(set) var maker: UInt64?

  init() {}

  init(_ spec: EventSpec) {
    if case .machine(let owner) = spec.visibility { self.owner = owner }
    phase = spec.phase
    switch spec.cost {
    case .rare, .frequent, .paced: break
    case .whole(let source): adaptive = source.rawValue
    case .sampled(let source):
      adaptive = source.rawValue
      isSampled = true
      weight = spec.period
    }
    hasCallchain = spec.fields.contains(.callchain)
    tellsWaits = spec.tellsWaits
    shift = SamplePlaces(spec.fields.union(.base)).time - SamplePlaces(.base).time
    guard let text = spec.format, let format = TracepointFormat(parsing: text) else {
      // Without its format a tracepoint cannot be told apart by field.
      if owner != nil { owner = .maker }
      return
    }
    func offset(_ name: String) -> UInt64 { UInt64(format.field(name)?.offset ?? 0) }
    switch owner {
    case .threadField:
      first = offset("pid")
    case .socket:
      first = offset("skaddr")
      second = offset("newstate")
      third = offset("sport")
    case .maker, nil: break
    }
    if spec.fields.contains(.raw) { maker = format.field("common_pid").map { UInt64($0.offset) } }
    payload = spec.payload
    switch payload {
    case .nothing: break
    case .newThread: first = offset("pid")
    case .systemCall:
      first = offset("id")
      second = offset("ret")
    case .descriptor: first = offset("fd")
    case .path: first = offset("path")
    }
  }
}
