import PerfData
import Quantities

/// Writes the names of a trace's stacks into the trace, so that every machine reports the same ones.
public enum StackEmbedding {
  /// More different frames no part has.
  private static let mostFrames = 1 << 24

  /// Resolves every stack with the binaries of this machine and appends the result.
  ///
  /// The copies of stacks that the names were found by are taken out then, unless they are to be kept. A trace that
  /// already has its names is left alone.
  /// - Returns: What was read of it, as who reads it afterwards finds it.
  /// - Throws: `TraceError` when the trace cannot be read or written.
  @discardableResult public static func embed(
    tracePath path: String, keepsStacks: Bool = false
  ) throws(TraceError) -> Trace {
    let (trace, names) = try names(in: path, keepsStacks: keepsStacks)
    do throws(PerfDataError) {
      // What was read is given back by now, so that a long trace is not in memory twice.
      if let names {
        try PerfDataAppender.append(
          records: names.records, toTraceAt: path, removal: names.removal)
      }
    } catch { throw TraceError(error, path: path) }
    return trace
  }

  /// What is read of a trace, and the records that tell its names with what they make needless; nil where there are
  /// none to tell.
  private static func names(
    in path: String, keepsStacks: Bool
  ) throws(TraceError) -> (Trace, (records: [UInt8], removal: StackRemoval?)?) {
    let file: PerfDataFile
    do { file = try PerfDataFile(path: path) } catch { throw TraceError(error, path: path) }
    var loader = TraceLoader(file: file, path: path, options: TraceOptions())
    let trace = try loader.load()
    let stacks = loader.resolvedStacks
    guard !stacks.isEmbedded, !stacks.seen.isEmpty,
      let symbols = file.attributes.first(where: { SyntheticEvent(attribute: $0) == .symbol }),
      let chains = file.attributes.first(where: { SyntheticEvent(attribute: $0) == .stack }),
      let symbolID = symbols.ids.first, let stackID = chains.ids.first
    else { return (trace, nil) }

    // Parts of one recording that are read together have each their own names.
    let first = (trace.capture?.part ?? 0) * Self.mostFrames
    var records: [UInt8] = []
    func add(_ payload: some SyntheticPayload, _ attribute: EventAttribute, _ id: UInt64)
      throws(PerfDataError)
    {
      records += RecordBuilder.synthetic(
        attribute, id: id, time: trace.end.nanoseconds, pid: 0, tid: 0, raw: try payload.encoded())
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
            stack, time: trace.end.nanoseconds, tid: 0,
            keys: Array(keys[start..<min(start + KeyedStacks.most, keys.count)]))
        }
      }
      for group in StackGroup.groups(told.others) {
        try addStack(group.stack, time: group.time, tid: group.tid, later: group.later)
      }
      let removal =
        keepsStacks
        ? nil
        : StackRemoval(
          of: Set(stacks.seen.map { SampleMoment(time: $0.time, tid: $0.tid) }),
          attributes: file.attributes)
      return (trace, (records, removal))
    } catch {
      throw TraceError(error, path: path)
    }
  }
}
