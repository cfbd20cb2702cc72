import PerfData
import Quantities
import Symbols

/// Turns the stacks of samples into interned frames, with names.
///
/// Names embedded in the trace come first, so that a report is the same on every machine; else the binaries are read.
struct StackTracker {
  /// Two frames that follow each other.
  private struct Jump: Hashable {
    var callee: UInt64
    var caller: UInt64
  }

  private(set) var table = StackTable()
  /// Every stack handed out that the trace does not bring along, with its sample.
  private(set) var seen = SeenStacks()
  /// What samples that have no stack hold.
  private(set) var keysWithoutStack: Set<Int> = []
  private var mappings: [Int32: MappingTable] = [:]
  /// The mappings that an exec ended.
  private var replaced: [Int32: MappingTable] = [:]
  private var kernelSymbols: [KernelSymbolEvent] = []
  /// Whether the names of all the kernel's functions in stacks are there, each of which goes up to the next one: a
  /// recorder that was killed has not told them.
  private var hasAllNames = true
  /// Where to find the kernel's names once the first is wanted, of a trace that brings none.
  var kernelNames: KernelNames?
  private var embedded = EmbeddedStacks()
  /// Which functions are the program's own is not told with their names, as in a text: their files tell.
  var judgesModules = false
  /// Some stacks are not among those that the trace brings along.
  var lacksStacks = false
  let modules: ModuleCache
  private let unwinder: Unwinder
  private let fullNames: Bool
  private let symbolizer: Symbolizer
  private var resolved: [Int32: [UInt64: [Int32]]] = [:]
  private var tailCalls: [Int32: [Jump: [Int32]]] = [:]
  private var jitMaps: [Int32: [JITMap]] = [:]
  private var jitDumps: [Int32: String] = [:]
  private var executors: [Int32: [UInt64: String?]] = [:]
  private var causes: [Int: WaitCause] = [:]
  /// The labels of each process's dispatch queues, by their addresses.
  private var queues: [Int32: [UInt64: String]] = [:]

  /// The build ids of files by their paths, where the mappings do not tell them.
  var buildIDs: [String: [UInt8]] = [:]

  /// `modules` is what was read already.
  init(fullNames: Bool, modules: ModuleCache = ModuleCache()) {
    self.modules = modules
    unwinder = Unwinder(modules: modules)
    symbolizer = Symbolizer(modules: modules)
    self.fullNames = fullNames
  }

  /// Files that could not be used, one line each.
  var problems: [String] { symbolizer.problems }

  /// Files of which it is not certain that they are those that ran, one line each; `time` is the recording's end, in
  /// nanoseconds since 1970.
  func doubts(since time: UInt64) -> [String] { symbolizer.doubts(since: time) }

  /// Files whose lines could not be read, one line each.
  var linesProblems: [String] { symbolizer.linesProblems }

  /// The trace brings its own stacks.
  var isEmbedded: Bool { !embedded.isEmpty }

  mutating func add(_ symbol: SymbolEvent) {
    embedded.add(
      symbol.id,
      table.intern(
        Frame(
          function: shown(symbol.function.isEmpty ? nil : symbol.function, symbol.fullName),
          fullName: symbol.fullName, module: symbol.module, moduleOffset: symbol.offset ?? 0,
          file: symbol.file, line: symbol.line,
          isKernel: symbol.isKernel,
          isProgram: symbol.isProgram
            && (!judgesModules || FunctionOrigin.isProgramModule(path: symbol.module)),
          isTailCall: symbol.isTailCall ?? false)))
  }

  mutating func add(_ stack: StackEvent) { embedded.add(stack) }

  mutating func add(_ symbol: KernelSymbolEvent) { kernelSymbols.append(symbol) }

  /// What was added is asked for from here on.
  mutating func sortNames(areWhole: Bool = true) {
    hasAllNames = areWhole
    kernelSymbols.sort { $0.address < $1.address }
    embedded.sort()
  }

  mutating func map(_ record: MmapRecord) {
    kernelNames?.note(record)
    if JITMap.isDump(record.path), jitDumps[record.pid] == nil {
      jitDumps[record.pid] = record.path
      jitMaps[record.pid] = nil
    }
    resolved[record.pid] = nil
    tailCalls[record.pid] = nil
    mappings[record.pid, default: MappingTable()].insert(
      ModuleMapping(
        start: record.start, end: record.start &+ record.length, fileOffset: record.fileOffset,
        path: record.path, buildID: record.buildID ?? buildIDs[record.path], inode: record.inode))
  }

  mutating func forked(_ child: Int32, from parent: Int32) {
    if child != parent, mappings[child] == nil {
      mappings[child] = mappings[parent]
      queues[child] = queues[parent]
    }
  }

  /// A new program replaces every mapping.
  mutating func exec(_ pid: Int32) {
    replaced[pid] = mappings[pid]
    mappings[pid] = nil
    resolved[pid] = nil
    tailCalls[pid] = nil
    queues[pid] = nil
    jitDumps[pid] = nil
    jitMaps[pid] = nil
  }

  /// A queue was made where another may have been before.
  mutating func queue(_ address: UInt64, of pid: Int32, label: String?) {
    queues[pid, default: [:]][address] = label
  }

  /// The interned stack of a sample, or nil when it has none.
  mutating func stack(of context: DecodingContext) -> Int? {
    if isEmbedded {
      let known = embedded.stack(of: context, in: &table)
      if known != nil || !lacksStacks { return known }
    }
    let sample = context.sample
    let key = StackKey.of(pid: sample.pid, callchain: sample.callchain)
    guard let stack = resolve(sample) else {
      if let key { keysWithoutStack.insert(key) }
      return nil
    }
    seen.append(StackedSample(time: sample.time, tid: sample.tid, stack: stack, key: key))
    return stack
  }

  /// The stack of a sample, or the function it was taken in where no stack was recorded.
  mutating func stackOrPlace(of context: DecodingContext) -> Int? {
    guard !isEmbedded, !context.attribute.sampleType.contains(.callchain),
      context.attribute.sampleType.contains(.instructionPointer)
    else { return stack(of: context) }
    var sample = context.sample
    guard sample.userRegisters == nil, let address = sample.ip, address != 0 else {
      return stack(of: context)
    }
    // PERF_RECORD_MISC_CPUMODE_MASK; 2 is PERF_RECORD_MISC_USER.
    sample.callchain =
      context.record.misc & 7 == 2 ? [UInt64(bitPattern: -512), address] : [address]
    guard let stack = resolve(sample) else { return nil }
    seen.append(StackedSample(time: sample.time, tid: sample.tid, stack: stack))
    return stack
  }

  /// The function with which a job of Swift concurrency goes on, and the name of its executor's witness table.
  ///
  /// Where it goes on in the runtime's `Task.sleep`, it is the innermost caller of that which is the program's.
  /// Kept like a stack of these two, so that a trace with embedded names brings them along.
  mutating func job(
    _ context: DecodingContext, _ place: JobPlace
  ) -> (function: Frame?, executor: String?) {
    let key = place.key(pid: context.pid)
    if isEmbedded {
      let frames = embedded.knownFrames(of: context, key: key).map { table.frames[Int($0)] }
      return (frames.first, frames.count > 1 ? frames.last?.function : nil)
    }
    let mapping = mappings[context.pid] ?? MappingTable()
    var frames = userFrames(place.resume, pid: context.pid, mapping).suffix(1).map { $0 }
    if frames.contains(where: isSleep) {
      for caller in place.callers where caller != 0 && !frames.contains(where: isProgram) {
        let own = userFrames(caller, pid: context.pid, mapping).suffix(1)
        if own.contains(where: isProgram) { frames = Array(own) }
      }
    }
    var name: String?
    if place.executor != 0 {
      name = executorName(place.executor, pid: context.pid, mapping)
      var frame = Frame.noStack
      frame.function = name ?? "[executor]"
      frames.append(table.intern(frame))
    }
    seen.append(
      StackedSample(
        time: context.time.nanoseconds, tid: context.tid, stack: table.intern(stack: frames),
        key: key))
    return (frames.first.map { table.frames[Int($0)] }, name)
  }

  /// `static Task<>._sleep<A>(until:tolerance:clock:)` and the like (Swift 6.3.1).
  private func isSleep(_ frame: Int32) -> Bool {
    let frame = table.frames[Int(frame)]
    return !frame.isProgram
      && frame.function.map { $0.contains("Task<") && $0.contains("sleep") } == true
  }

  private func isProgram(_ frame: Int32) -> Bool {
    let frame = table.frames[Int(frame)]
    return frame.isProgram && frame.function != nil
  }

  private mutating func executorName(_ address: UInt64, pid: Int32, _ mapping: MappingTable)
    -> String?
  {
    if let known = executors[pid]?[address] { return known }
    // A dynamic runtime is a library of this name; a static one is in the program.
    let name = symbolizer.objectName(at: address, in: mapping) { path in
      path.contains("/libswift_Concurrency.so") || FunctionOrigin.isProgramModule(path: path)
    }
    executors[pid, default: [:]][address] = .some(name)
    return name
  }

  private mutating func resolve(_ sample: Sample) -> Int? {
    let (kernel, chain) = Self.split(sample.callchain)
    let user = Self.calls(sample, after: chain)
    var frames = kernel.map { kernelFrame($0) }
    let mapping = mapping(of: sample.pid, at: user.first)
    guard let registers = sample.userRegisters,
      let userStack = UserStackSample(
        registers: registers.values, registerMask: registers.mask, stack: sample.userStack,
        callchain: user)
    else {
      prepare(user, pid: sample.pid, mapping)
      for address in user { frames += userFrames(address, pid: sample.pid, mapping) }
      return frames.isEmpty ? nil : table.intern(stack: frames)
    }
    let unwound = unwinder.unwind(userStack, mappings: mapping)
    prepare(unwound.addresses, pid: sample.pid, mapping)
    let gaps = Set(unwound.gapAt)
    for (index, address) in unwound.addresses.enumerated() {
      if gaps.contains(index) { frames.append(table.intern(.gap)) }
      let resolved = userFrames(address, pid: sample.pid, mapping)
      frames +=
        unwound.drains[index].map { tell(resolved, drain: $0, of: sample.pid) } ?? resolved
      let next = index + 1
      if next < unwound.addresses.count, !gaps.contains(next) {
        frames += tailCall(to: address, from: unwound.addresses[next], pid: sample.pid, mapping)
      }
    }
    if gaps.contains(unwound.addresses.count) || (!unwound.isComplete && gaps.isEmpty) {
      frames.append(table.intern(.gap))
    }
    return frames.isEmpty ? nil : table.intern(stack: frames)
  }

  /// Until its exec returns, a thread's registers are those of the program before, whose mappings are gone by then.
  private func mapping(of pid: Int32, at address: UInt64?) -> MappingTable {
    let present = mappings[pid] ?? MappingTable()
    guard let address, present.find(address) == nil, let before = replaced[pid],
      before.find(address) != nil
    else { return present }
    return before
  }

  private func shown(_ function: String?, _ fullName: String?) -> String? {
    fullNames ? fullName ?? function : function
  }

  /// What a thread that blocked with this stack was waiting for.
  mutating func cause(of stack: Int) -> WaitCause {
    if let known = causes[stack] { return known }
    let cause = WaitClassifier.cause(of: table.frames(of: stack))
    causes[stack] = cause
    return cause
  }

  private func prepare(_ addresses: [UInt64], pid: Int32, _ mapping: MappingTable) {
    let known = resolved[pid]
    let new = addresses.filter { known?[$0] == nil }
    if !new.isEmpty { symbolizer.prepare(new, in: mapping) }
  }

  private mutating func userFrames(_ address: UInt64, pid: Int32, _ mapping: MappingTable)
    -> [Int32]
  {
    if let known = resolved[pid]?[address] { return known }
    let frames =
      made(address, pid: pid, mapping).map { [$0] }
      ?? symbolizer.resolve(address: address, in: mapping).map { frame($0) }
    resolved[pid, default: [:]][address] = frames
    return frames
  }

  /// A function that the process made itself, in memory that is no file's.
  private mutating func made(_ address: UInt64, pid: Int32, _ mapping: MappingTable) -> Int32? {
    if let path = mapping.find(address)?.path {
      guard ["//anon", "[anon", "[heap]", "/memfd:", "/dev/zero"].contains(where: path.hasPrefix)
      else { return nil }
    }
    let names =
      jitMaps[pid] ?? [JITMap(pid: pid)] + (jitDumps[pid].map { [JITMap(dump: $0)] } ?? [])
    jitMaps[pid] = names
    guard let name = names.lazy.compactMap({ $0.name(of: address) }).first else { return nil }
    return table.intern(
      Frame(
        function: name, fullName: nil, module: "[jit]", moduleOffset: 0, file: nil, line: nil,
        isKernel: false, isProgram: true))
  }

  private mutating func frame(_ resolved: ResolvedFrame, isTailCall: Bool = false) -> Int32 {
    table.intern(
      Frame(
        function: shown(resolved.function, resolved.fullName), fullName: resolved.fullName,
        module: resolved.module, moduleOffset: resolved.function == nil ? resolved.moduleOffset : 0,
        file: resolved.file, line: resolved.line, isKernel: false, isProgram: resolved.isProgram,
        isTailCall: isTailCall))
  }

  /// Frames of a function that drains a serial queue, with what is known of the queue in the name.
  private mutating func tell(
    _ frames: [Int32], drain: UnwoundStack.Drain, of pid: Int32
  ) -> [Int32] {
    guard let last = frames.last else { return frames }
    var frame = table.frames[Int(last)]
    let queue =
      drain.isOfMainQueue
      ? SerialDrain.ofMainQueue
      : label(of: drain, in: pid).map(SerialDrain.of) ?? SerialDrain.ofOtherQueue
    frame.function? += " " + queue
    return frames.dropLast() + [table.intern(frame)]
  }

  /// The label of the queue whose address the function keeps, first of all in a register; what was left on its stack
  /// may be of several queues, which tells nothing.
  private func label(of drain: UnwoundStack.Drain, in pid: Int32) -> String? {
    guard let known = queues[pid] else { return nil }
    for kept in [drain.registers, drain.words] {
      let labels = Set(kept.compactMap { known[$0] })
      if let only = labels.first { return labels.count == 1 ? only : nil }
    }
    return nil
  }

  /// The function between two frames of a stack that left none of its own; of the program's own functions alone, since
  /// what else goes on so are the compiler's thunks.
  private mutating func tailCall(
    to callee: UInt64, from caller: UInt64, pid: Int32, _ mapping: MappingTable
  ) -> [Int32] {
    let key = Jump(callee: callee, caller: caller)
    if let known = tailCalls[pid]?[key] { return known }
    let found = symbolizer.tailCall(to: callee, calledBefore: caller &+ 1, in: mapping)
    let frames = found.flatMap { $0.isProgram ? [frame($0, isTailCall: true)] : nil } ?? []
    tailCalls[pid, default: [:]][key] = frames
    return frames
  }

  /// Addresses that stand for functions which were not looked up (`PreloadWriter`), below where x86-64 has its kernel.
  private static let standIns: Range<UInt64> = 0xffff_ffff_8000_0000..<0xffff_ffff_8100_0000

  private mutating func kernelFrame(_ address: UInt64) -> Int32 {
    if kernelSymbols.isEmpty, let names = kernelNames {
      kernelNames = nil
      kernelSymbols = names.load()
    }
    let next = kernelSymbols.partitioningIndex { $0.address > address }
    let symbol = next > 0 ? kernelSymbols[next - 1] : nil
    let isExact = !hasAllNames || symbol.map { Self.standIns.contains($0.address) } ?? false
    let name = isExact && symbol?.address != address ? nil : symbol?.name
    // What stands for no function is in no kernel either.
    let module = name == WaitClassifier.outOfCalls ? "" : "[kernel]"
    return table.intern(
      Frame(
        function: name, fullName: nil, module: module, moduleOffset: name == nil ? address : 0,
        file: nil,
        line: nil, isKernel: true, isProgram: false))
  }

  /// The user's part of the stack: of `--call-graph lbr`, the calls that the processor kept, below the innermost
  /// function.
  static func calls(_ sample: Sample, after chain: [UInt64]) -> [UInt64] {
    guard sample.branchesAreCalls, let newest = sample.branches.first else { return chain }
    return [chain.first ?? newest.to] + sample.branches.map(\.from)
  }

  /// Divides a callchain at its PERF_CONTEXT_* markers (include/uapi/linux/perf_event.h).
  static func split(_ callchain: [UInt64]) -> (kernel: [UInt64], user: [UInt64]) {
    let firstMarker = UInt64(bitPattern: -4095)
    let userMarker = UInt64(bitPattern: -512)
    var kernel: [UInt64] = []
    var user: [UInt64] = []
    var isUser = false
    for entry in callchain {
      if entry >= firstMarker {
        isUser = entry == userMarker
      } else if isUser {
        user.append(entry)
      } else {
        kernel.append(entry)
      }
    }
    return (kernel, user)
  }
}
