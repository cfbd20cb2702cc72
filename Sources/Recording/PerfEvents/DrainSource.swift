import PerfData

/// How to treat the records of one event.
struct DrainSource {
  var keep = EventSpec.Keep.always
  var season = EventSpec.Season.always
  var adaptive = -1
  var isSampled = false
  /// How many events a record stands for.
  var weight: UInt64 = 1
  var hasCallchain = false
  /// How much farther its fields are than `SamplePlaces(.base)` says: the instruction pointer comes before the thread.
  var shift: UInt64 = 0
  var isSystemCall = false
  /// Its field `first` is a descriptor that is about to be written to.
  var namesDescriptor = false
  /// Its field `first` tells where the path is that is about to be opened.
  var namesPath = false
  /// Offsets in the raw payload of what `keep` asks for.
  var first: UInt64 = 0
  var second: UInt64 = 0
  var third: UInt64 = 0

  init() {}

  init(_ spec: EventSpec) {
    keep = spec.keep
    season = spec.season
    switch spec.role {
    case .plain: break
    case .full(let source): adaptive = source.rawValue
    case .sampled(let source):
      adaptive = source.rawValue
      isSampled = true
      weight = spec.period
    }
    hasCallchain = spec.fields.contains(.callchain)
    shift = SamplePlaces(spec.fields.union(.base)).time - SamplePlaces(.base).time
    isSystemCall = spec.name == "raw_syscalls:sys_exit"
    guard let text = spec.format, let format = TracepointFormat(parsing: text) else {
      // Without its format a tracepoint cannot be told apart by field.
      if keep != .always { keep = .maker }
      return
    }
    func offset(_ name: String) -> UInt64 { UInt64(format.field(name)?.offset ?? 0) }
    switch spec.keep {
    case .threadField:
      first = offset("pid")
    case .socketState:
      first = offset("skaddr")
      second = offset("newstate")
      third = offset("sport")
    case .always, .maker: break
    }
    if isSystemCall {
      first = offset("id")
      second = offset("ret")
    }
    if spec.name == "io_uring:io_uring_file_get" || spec.name == "syscalls:sys_enter_mmap" {
      namesDescriptor = true
      first = offset("fd")
    }
    if spec.signal == EventSpec.fileNames, spec.name.contains(":open"),
      let path = format.field("path")
    {
      namesPath = true
      first = UInt64(path.offset)
    }
  }
}
