import PerfData
import Quantities

/// Writes the names of a trace's stacks into the trace, so that every machine reports the same ones.
public enum StackEmbedding {
  /// More different frames no part has.
  private static let mostFrames = 1 << 24

  /// Resolves every stack with the binaries of this machine and appends the result.
  ///
  /// The copies of stacks that the names were found by are taken out then, unless they are to be kept. A trace that
  /// already has its names is left alone. What else the trace tells is not looked at: it takes memory for the stacks
  /// that differ, and next to none for the records.
  /// - Throws: `TraceError` when the trace cannot be read or written.
  public static func embed(tracePath path: String, keepsStacks: Bool = false) throws(TraceError) {
    let file = try open(path)
    if let addition = try addition(to: file, at: path, keepsStacks: keepsStacks) {
      try append(addition, toTraceAt: path)
    }
  }

  /// The same, of a trace that is wanted as well.
  ///
  /// - Returns: What was read of it, as who reads it afterwards finds it.
  /// - Throws: as `embed`.
  public static func embedAndLoad(
    tracePath path: String, keepsStacks: Bool = false
  ) throws(TraceError) -> Trace {
    let (trace, addition) = try load(path, keepsStacks: keepsStacks)
    if let addition { try append(addition, toTraceAt: path) }
    return trace
  }

  /// The records that tell a trace's names, and what they make needless.
  private struct Addition {
    var records: [UInt8]
    var removal: StackRemoval?
  }

  private static func open(_ path: String) throws(TraceError) -> PerfDataFile {
    do { return try PerfDataFile(path: path) } catch { throw TraceError(error, path: path) }
  }

  private static func append(
    _ addition: Addition, toTraceAt path: String
  ) throws(TraceError) {
    do throws(PerfDataError) {
      try PerfDataAppender.append(
        records: addition.records, toTraceAt: path, removal: addition.removal)
    } catch { throw TraceError(error, path: path) }
  }

  /// What was read to find the names is given back with the return of it.
  private static func addition(
    to file: PerfDataFile, at path: String, keepsStacks: Bool
  ) throws(TraceError) -> Addition? {
    guard events(of: file) != nil else { return nil }
    var loader = TraceLoader(file: file, path: path, options: TraceOptions(), for: .names)
    return try addition(of: loader.names(), to: file, path, keepsStacks: keepsStacks)
  }

  private static func load(
    _ path: String, keepsStacks: Bool
  ) throws(TraceError) -> (Trace, Addition?) {
    let file = try open(path)
    var loader = TraceLoader(file: file, path: path, options: TraceOptions(), for: .traceAndNames)
    let trace = try loader.load()
    return (trace, try addition(of: loader.names(), to: file, path, keepsStacks: keepsStacks))
  }

  /// The events that tell names and stacks; nil of a trace that has none.
  private static func events(
    of file: PerfDataFile
  ) -> (symbols: EventAttribute, symbolID: UInt64, chains: EventAttribute, stackID: UInt64)? {
    guard let symbols = file.attributes.first(where: { SyntheticEvent(attribute: $0) == .symbol }),
      let chains = file.attributes.first(where: { SyntheticEvent(attribute: $0) == .stack }),
      let symbolID = symbols.ids.first, let stackID = chains.ids.first
    else { return nil }
    return (symbols, symbolID, chains, stackID)
  }

  /// Nil where there are no names to tell.
  private static func addition(
    of names: FoundNames, to file: PerfDataFile, _ path: String, keepsStacks: Bool
  ) throws(TraceError) -> Addition? {
    let stacks = names.stacks
    guard !stacks.isEmbedded, !stacks.seen.isEmpty,
      let (symbols, symbolID, chains, stackID) = events(of: file)
    else { return nil }
    let end = names.times.upperBound

    // Parts of one recording that are read together have each their own names.
    let first = names.part * Self.mostFrames
    var records: [UInt8] = []
    func add(_ payload: some SyntheticPayload, _ attribute: EventAttribute, _ id: UInt64)
      throws(PerfDataError)
    {
      records += RecordBuilder.synthetic(
        attribute, id: id, time: end, pid: 0, tid: 0, raw: try payload.encoded())
    }
    do {
      for (id, frame) in stacks.table.frames.enumerated() {
        try add(
          SymbolEvent(
            id: first + id, function: frame.function ?? "", module: frame.module,
            fullName: frame.fullName,
            offset: frame.function == nil ? frame.moduleOffset : nil, file: frame.file,
            line: frame.line, isKernel: frame.isKernel, isProgram: frame.isProgram,
            isTailCall: frame.isTailCall ? true : nil),
          symbols, symbolID)
      }
      func addStack(
        _ stack: Int, time: UInt64, tid: Int32, later: [Int] = [], keys: [Int] = []
      ) throws(PerfDataError) {
        let frames = stacks.table.stacks[stack].map { first + Int($0) }
        let gap = frames.contains { stacks.table.frames[$0 - first].isGap }
        try add(
          StackEvent(
            time: time, tid: Int(tid), frames: frames, complete: !gap,
            later: later.isEmpty ? nil : later, keys: keys.isEmpty ? nil : keys),
          chains, stackID)
      }
      let told = KeyedStacks(stacks.seen, without: stacks.keysWithoutStack)
      for (stack, keys) in told.keys.sorted(by: { $0.key < $1.key }) {
        for start in stride(from: 0, to: keys.count, by: KeyedStacks.most) {
          try addStack(
            stack, time: end, tid: 0,
            keys: Array(keys[start..<min(start + KeyedStacks.most, keys.count)]))
        }
      }
      for group in StackGroup.groups(told.others) {
        try addStack(group.stack, time: group.time, tid: group.tid, later: group.later)
      }
      let removal =
        keepsStacks
        ? nil
        : StackRemoval(keeping: names.unnamed, in: names.times, attributes: file.attributes)
      return Addition(records: records, removal: removal)
    } catch {
      throw TraceError(error, path: path)
    }
  }
}

/// What loading found of names.
struct FoundNames {
  let stacks: StackTracker
  /// The samples that hold a copy of a stack without names.
  let unnamed: Set<SampleMoment>
  /// The number of the part of a recording; 0 where it is none.
  let part: Int
  /// Of all records.
  let times: ClosedRange<UInt64>
}
