import ExportFormats
import SwiftProtobuf
import TraceModel

/// The tables that OpenTelemetry's profiles point into: each thing once, the first of each an empty one.
struct OTLPDictionary {
  /// The value of an attribute.
  enum Value: Hashable {
    case string(String)
    case number(Int64)

    var encoded: OTLPAnyValue {
      var value = OTLPAnyValue()
      switch self {
      case .string(let text): value.stringValue = text
      case .number(let number): value.intValue = number
      }
      return value
    }
  }

  private struct Attribute: Hashable {
    var key: String
    var value: Value
  }

  private struct Function: Hashable {
    var name: Int32
    var systemName: Int32
    var file: Int32
  }

  /// Several addresses of one line are one location: addresses are not told.
  private struct Location: Hashable {
    var mapping: Int32
    var function: Int32
    var line: Int64
  }

  private(set) var table = OTLPProfilesDictionary()
  private let recorded: StackTable
  private var strings: [String: Int32] = ["": 0]
  private var mappings: [String: Int32] = [:]
  private var functions: [Function: Int32] = [:]
  private var locations: [Location: Int32] = [:]
  private var stacks: [[Int32]: Int32] = [:]
  private var attributes: [Attribute: Int32] = [:]

  init(_ recorded: StackTable) {
    self.recorded = recorded
    var link = OTLPLink()
    link.traceID = .init(repeating: 0, count: 16)
    link.spanID = .init(repeating: 0, count: 8)
    table.linkTable = [link]
    table.stringTable = [""]
    table.mappingTable = [.init()]
    table.functionTable = [.init()]
    table.locationTable = [.init()]
    table.stackTable = [.init()]
    table.attributeTable = [.init()]
  }

  mutating func string(_ text: String) -> Int32 {
    if let known = strings[text] { return known }
    let index = Int32(table.stringTable.count)
    table.stringTable.append(text)
    strings[text] = index
    return index
  }

  mutating func attribute(_ key: String, _ value: Value) -> Int32 {
    let attribute = Attribute(key: key, value: value)
    if let known = attributes[attribute] { return known }
    var row = OTLPKeyValueAndUnit()
    row.keyStrindex = string(key)
    row.value = value.encoded
    let index = Int32(table.attributeTable.count)
    table.attributeTable.append(row)
    attributes[attribute] = index
    return index
  }

  /// The attributes of a thread.
  mutating func thread(_ tid: Int32, _ sums: StackSums) -> [Int32] {
    let id = attribute("thread.id", .number(Int64(tid)))
    guard let name = sums.names[tid] else { return [id] }
    return [id, attribute("thread.name", .string(name))]
  }

  mutating func stack(_ number: Int) -> Int32 {
    let frames = recorded.stacks[number].map { location(recorded.frames[Int($0)]) }
    if let known = stacks[frames] { return known }
    var row = OTLPStack()
    row.locationIndices = frames
    let index = Int32(table.stackTable.count)
    table.stackTable.append(row)
    stacks[frames] = index
    return index
  }

  private mutating func location(_ frame: Frame) -> Int32 {
    let key = Location(
      mapping: mapping(frame.module), function: function(frame),
      line: Int64(max(frame.line ?? 0, 0)))
    if let known = locations[key] { return known }
    var line = OTLPLine()
    line.functionIndex = key.function
    line.line = key.line
    var row = OTLPLocation()
    row.mappingIndex = key.mapping
    row.lines = [line]
    let index = Int32(table.locationTable.count)
    table.locationTable.append(row)
    locations[key] = index
    return index
  }

  private mutating func function(_ frame: Frame) -> Int32 {
    let key = Function(
      name: string(frame.displayName), systemName: string(frame.fullName ?? ""),
      file: string(frame.file ?? ""))
    if let known = functions[key] { return known }
    var row = OTLPFunction()
    row.nameStrindex = key.name
    row.systemNameStrindex = key.systemName
    row.filenameStrindex = key.file
    let index = Int32(table.functionTable.count)
    table.functionTable.append(row)
    functions[key] = index
    return index
  }

  private mutating func mapping(_ module: String) -> Int32 {
    guard !module.isEmpty else { return 0 }
    if let known = mappings[module] { return known }
    var row = OTLPMapping()
    row.filenameStrindex = string(module)
    let index = Int32(table.mappingTable.count)
    table.mappingTable.append(row)
    mappings[module] = index
    return index
  }
}
