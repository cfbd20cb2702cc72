import CElf
import Quantities

/// Finds lines and inlined calls in the units of the debug information that hold an address, without reading those of
/// all others.
final class LineIndex {
  private struct Span {
    var start: UInt64
    var end: UInt64
    var unit: Int
  }

  private let reader: ModuleReader
  private let segments: [ModuleReader.Segment]
  private var units: [Dwarf_Die] = []
  /// Where the units' code lies, sorted by its start.
  private var spans: [Span] = []
  /// The furthest end of each span and those before it.
  private var reaches: [UInt64] = []
  /// All lines, where a unit does not say where its code lies.
  private var whole: LineTable?
  private var tables: [[Int]: LineTable] = [:]
  private var inlines: [UInt64: InlineTable] = [:]

  /// `segments` are those of the module itself.
  init(_ reader: ModuleReader, segments: [ModuleReader.Segment]) {
    self.reader = reader
    self.segments = segments
    guard let dwarf = reader.dwarf() else { return }
    let isToldByAll = reader.eachUnit(of: dwarf) { die in
      var spans: [Span] = []
      var (base, start, end): (UInt64, UInt64, UInt64) = (0, 0, 0)
      var offset = 0
      repeat {
        offset = libdw.dwarf_ranges(&die, offset, &base, &start, &end)
        if offset > 0, start < end { spans.append(Span(start: start, end: end, unit: units.count)) }
      } while offset > 0 && spans.count < ModuleReader.Limit.units
      if spans.isEmpty, reader.lines(ofUnits: [die], segments: segments).count > 0 { return false }
      guard self.spans.count + spans.count <= ModuleReader.Limit.lineRows else { return false }
      self.spans += spans
      units.append(die)
      return true
    }
    guard isToldByAll else {
      whole = reader.lines(segments: segments)
      return
    }
    spans.sort { ($0.start, $0.unit) < ($1.start, $1.unit) }
    reaches.reserveCapacity(spans.count)
    for span in spans { reaches.append(max(span.end, reaches.last ?? 0)) }
  }

  /// Why there are no lines.
  var problem: String? { reader.linesProblem }

  func find(_ place: CodePlace) -> SourcePlace {
    SourcePlace(of: place, in: table(of: place)) { unit in
      if let known = inlines[unit] { return known }
      let table = reader.inlines(unit: unit)
      inlines[unit] = table
      return table
    }
  }

  /// The lines of the units that hold code from the function's start to the address, and of the last one that begins
  /// before it: what fills the room between two functions belongs to the one before.
  private func table(of place: CodePlace) -> LineTable {
    if let whole { return whole }
    var index = spans.partitioningIndex { $0.start > place.address } - 1
    guard index >= 0 else { return .empty }
    var wanted: Set<Int> = [spans[index].unit]
    while index >= 0, reaches[index] > min(place.address, place.functionStart) {
      if spans[index].end > min(place.address, place.functionStart) {
        wanted.insert(spans[index].unit)
      }
      index -= 1
    }
    let key = wanted.sorted()
    if let known = tables[key] { return known }
    let table = reader.lines(ofUnits: key.map { units[$0] }, segments: segments)
    tables[key] = table
    return table
  }
}

/// An instruction, with the beginning of the function that it is in.
struct CodePlace: Hashable, Sendable {
  var address: UInt64
  var functionStart: UInt64
}

/// What the debug information tells of an instruction.
struct SourcePlace: Hashable, Sendable {
  var location: LineTable.Location?
  /// Calls that were inlined there, innermost first.
  var inlined: [InlinedCall] = []

  init() {}

  init(of place: CodePlace, in lines: LineTable, inlines: (_ unit: UInt64) -> InlineTable) {
    location = lines.find(place.address, functionStart: place.functionStart)
    if let row = lines.row(at: place.address), row.unit < lines.units.count {
      inlined = inlines(lines.units[Int(row.unit)]).find(place.address)
    }
  }

  func write(to writer: inout WireWriter) {
    writer.put(location?.file)
    writer.put(Int64(location?.line ?? 0))
    writer.put(UInt64(inlined.count))
    for call in inlined { call.write(to: &writer) }
  }

  init(from reader: inout WireReader) throws(WireError) {
    let file = try reader.optionalText()
    let line = Int(try reader.number(Int64.self))
    location = file.map { LineTable.Location(file: $0, line: line) }
    for _ in 0..<(try reader.count(of: InlinedCall.smallest)) {
      inlined.append(try InlinedCall(from: &reader))
    }
  }
}
