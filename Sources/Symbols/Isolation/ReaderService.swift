import Glibc

/// What Lull asks the reading process.
enum ReaderRequest: UInt8 {
  /// A path and a build id; answered by a number for the module, and its header.
  case open = 1
  case callFrames, symbols, lines
  /// A link-time address.
  case callFrame
  /// The offset of a unit.
  case inlines
  /// Linker names.
  case names
  /// The address of a data object.
  case objectName
  /// Linker names of functions, of which it is asked where they lie.
  case ranges
  /// Link-time addresses.
  case functions
  /// The same, and the starts of the functions that they are in.
  case sources
}

/// The reading process: reads files that may be hostile, within limits, until Lull hangs up.
///
/// Whatever a file makes of it, a crash or an endless loop, costs only that file's names.
public enum ReaderService {
  /// The hidden argument with which Lull starts itself as a reading process.
  public static let argument = "__read-modules"
  /// The descriptor of the socket to Lull.
  static let descriptor: Int32 = 3

  enum Limit {
    static let memory: rlim_t = 6 << 30
    /// With the files themselves, which are mapped.
    static let addresses: rlim_t = 64 << 30
    static let processorSeconds: rlim_t = 120
    static let request = 64 << 20
  }

  /// Answers requests until the other side hangs up; never returns.
  public static func run() -> Never {
    limit(__rlimit_resource_t(RLIMIT_DATA.rawValue), Limit.memory)
    limit(__rlimit_resource_t(RLIMIT_AS.rawValue), Limit.addresses)
    limit(__rlimit_resource_t(RLIMIT_CPU.rawValue), Limit.processorSeconds)
    limit(__rlimit_resource_t(RLIMIT_CORE.rawValue), 0)
    limit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), 0)
    var modules: [LocalContents] = []
    while let request = SocketMessage.receive(
      descriptor, limit: Limit.request, deadline: nil)
    {
      var reader = WireReader(request)
      var writer = WireWriter()
      do throws(WireError) {
        try answer(&reader, &writer, &modules)
      } catch {
        exit(1)
      }
      guard SocketMessage.send(descriptor, writer.bytes, deadline: nil) else { exit(1) }
    }
    exit(0)
  }

  private static func limit(_ resource: __rlimit_resource_t, _ value: rlim_t) {
    var limits = rlimit(rlim_cur: value, rlim_max: value)
    _ = setrlimit(resource, &limits)
  }

  private static func answer(
    _ reader: inout WireReader, _ writer: inout WireWriter, _ modules: inout [LocalContents]
  ) throws(WireError) {
    guard let request = ReaderRequest(rawValue: try reader.number(UInt8.self)) else {
      throw WireError()
    }
    if request == .open {
      let path = try reader.text()
      let buildID = try reader.numbers(UInt8.self)
      do throws(ModuleReaderError) {
        let contents = LocalContents(
          try ModuleReader(
            path: path, expectedBuildID: buildID.isEmpty ? nil : buildID, isMapped: true))
        writer.put(UInt8(0))
        writer.put(UInt32(modules.count))
        contents.header.write(to: &writer)
        modules.append(contents)
      } catch {
        error.write(to: &writer)
      }
      return
    }
    let number = Int(try reader.number(UInt32.self))
    guard number < modules.count else { throw WireError() }
    let contents = modules[number]
    switch request {
    case .open: break
    case .callFrames: contents.callFrames().write(to: &writer)
    case .callFrame:
      contents.callFrameRow(at: try reader.number(UInt64.self))
        .write(to: &writer) { FrameRule.write($0, to: &$1) }
    case .symbols: contents.symbols().write(to: &writer)
    case .lines: contents.lines().write(to: &writer)
    case .inlines: contents.inlines(unit: try reader.number(UInt64.self)).write(to: &writer)
    case .objectName: writer.put(contents.objectName(at: try reader.number(UInt64.self)))
    case .ranges:
      let ranges = contents.ranges(named: try reader.texts())
      writer.put(ranges.map(\.lowerBound))
      writer.put(ranges.map(\.upperBound))
    case .functions:
      for found in contents.functionRanges(at: try reader.numbers(UInt64.self)) {
        found.write(to: &writer) { NamedFunction.write($0, to: &$1) }
      }
    case .sources:
      let addresses = try reader.numbers(UInt64.self)
      let starts = try reader.numbers(UInt64.self)
      let (places, problem) = contents.sources(
        of: zip(addresses, starts).map { CodePlace(address: $0, functionStart: $1) })
      writer.put(problem)
      for place in places { place.write(to: &writer) }
    case .names: for name in contents.names(try reader.texts()) { name.write(to: &writer) }
    }
  }
}

extension ModuleReaderError {
  /// With a first byte other than 0, which means success.
  func write(to writer: inout WireWriter) {
    switch self {
    case .unreadable(let path, let reason):
      writer.put(UInt8(1))
      writer.put(path)
      writer.put(reason)
    case .unsupported(let path, let reason):
      writer.put(UInt8(2))
      writer.put(path)
      writer.put(reason)
    case .changed(let path, let expected, let found):
      writer.put(UInt8(3))
      writer.put(path)
      writer.put(expected)
      writer.put(found)
    case .replaced(let path):
      writer.put(UInt8(4))
      writer.put(path)
    }
  }

  init(code: UInt8, from reader: inout WireReader) throws(WireError) {
    let path = try reader.text()
    switch code {
    case 1: self = .unreadable(path: path, reason: try reader.text())
    case 2: self = .unsupported(path: path, reason: try reader.text())
    case 3:
      self = .changed(
        path: path, expected: try reader.numbers(UInt8.self), found: try reader.numbers(UInt8.self))
    case 4: self = .replaced(path: path)
    default: throw WireError()
    }
  }
}
