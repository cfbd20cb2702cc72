/// The layout of counter values (perf_event_attr.read_format).
struct ReadFormat: OptionSet {
  let rawValue: UInt64
  static let timeEnabled = ReadFormat(rawValue: 1)
  static let timeRunning = ReadFormat(rawValue: 2)
  static let id = ReadFormat(rawValue: 4)
  static let group = ReadFormat(rawValue: 8)
  static let lost = ReadFormat(rawValue: 16)
}
