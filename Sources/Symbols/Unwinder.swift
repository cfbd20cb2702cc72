/// Unwinds user stacks from what was recorded of them.
///
/// Goes by call frame information as long as the copied part of the stack holds what it needs,
/// by frame pointers where there is none, and then joins the callchain that the kernel took. The
/// two ways fail on different stacks. Where frames may be missing it says so.
public final class Unwinder {
  private let modules: ModuleCache
  private static let maximumDepth = 512
  /// How far a return address is looked for in a frame without call frame information.
  private static let scannedWords = 64
  /// How far the frame pointer of a function is looked for that keeps one.
  private static let scannedFrameWords: UInt64 = 256

  /// An unwinder; give it the symbolizer's modules so that each file is read once.
  public init(modules: ModuleCache = ModuleCache()) { self.modules = modules }

  /// The frames of one sample, innermost first.
  public func unwind(_ sample: UserStackSample, mappings: MappingTable) -> UnwoundStack {
    var walk = Walk(unwinder: self, sample: sample, mappings: mappings)
    walk.run()
    return walk.result
  }

  /// Where an address lies.
  fileprivate struct Place {
    var module: Module
    var address: UInt64
    var rule: FrameRule?

    /// Whether the caller's return address lies right above the frame pointer.
    func ownsFramePointer(_ architecture: UserStackSample.Architecture) -> Bool {
      guard case .register(let number, let offset) = rule?.frameAddress else { return false }
      return number == (architecture == .x86 ? 6 : 29)
        && (architecture == .arm || offset == 16)
    }
  }

  fileprivate func place(of address: UInt64, in mappings: MappingTable) -> Place? {
    guard let mapping = mappings.find(address) else { return nil }
    let module = modules.module(for: mapping)
    guard let link = module.linkAddress(of: address, in: mapping) else {
      return Place(module: module, address: address &- mapping.start, rule: nil)
    }
    return Place(module: module, address: link, rule: module.callFrame(at: link))
  }

  /// One sample's way from the innermost frame to the outermost.
  private struct Walk {
    let unwinder: Unwinder
    let sample: UserStackSample
    let mappings: MappingTable
    var state: UnwindState
    var result = UnwoundStack()
    /// Return addresses as they are on the stack, parallel to `result.addresses`.
    var exact: [UInt64] = []
    var reachedOutermost = false

    init(unwinder: Unwinder, sample: UserStackSample, mappings: MappingTable) {
      self.unwinder = unwinder
      self.sample = sample
      self.mappings = mappings
      state = UnwindState(sample)
    }

    mutating func run() {
      push(sample.instructionPointer, lookup: sample.instructionPointer)
      walkCopy()
      let last = result.addresses.last.flatMap { unwinder.place(of: $0, in: mappings) }
      let isFirst = reachedOutermost || isThreadStart(last)
      if !isFirst, result.gapAt.last != result.addresses.count {
        result.gapAt.append(result.addresses.count)
      }
      result.isComplete = isFirst && result.gapAt.isEmpty
    }

    private mutating func push(_ address: UInt64, lookup: UInt64) {
      exact.append(address)
      result.addresses.append(lookup)
    }

    private mutating func markGap() {
      if result.gapAt.last != result.addresses.count { result.gapAt.append(result.addresses.count) }
    }

    private mutating func walkCopy() {
      while result.addresses.count < Unwinder.maximumDepth, let lookup = result.addresses.last {
        let place = supported(unwinder.place(of: lookup, in: mappings))
        if isThreadStart(place) { return }
        guard let rule = place?.rule else {
          if !walkFrame(from: place) { return }
          continue
        }
        let before = state
        switch state.step(rule) {
        case .outermost:
          reachedOutermost = true
          return
        case .caller(let address):
          noteDrain(in: place, before)
          guard address != 0 else {
            reachedOutermost = true
            return
          }
          let next = rule.isSignalFrame ? address : address &- 1
          guard isCode(next) else {
            // Not code: the copy was taken while the stack was other than the rule says.
            state = before
            join(after: place)
            return
          }
          push(address, lookup: next)
        case .missing:
          state = before
          if findFramePointer(of: place) { continue }
          join(after: place)
          return
        }
      }
    }

    /// Which queue a frame drains: it keeps the queue's address over the calls of what it runs.
    private mutating func noteDrain(in place: Place?, _ before: UnwindState) {
      guard let place, place.module.isSerialDrain(place.address),
        let address = result.addresses.last,
        let kept = before.kept(until: state.stackPointer)
      else { return }
      let slide = address &- place.address
      let isMain = (kept.registers + kept.words).contains {
        place.module.isMainQueue($0 &- slide)
      }
      // It may be in a register that was not recorded.
      if !isMain, before.lacksKeptRegisters, sample.lacksRegisters { return }
      result.drains[result.addresses.count - 1] = UnwoundStack.Drain(
        isOfMainQueue: isMain, registers: kept.registers, words: kept.words)
    }

    /// Where the frame pointer was not recorded: the first place above whose words may be a caller's frame pointer and
    /// the return address of a call of this very function, or else of some call, and then a gap is marked.
    private mutating func findFramePointer(of place: Place?) -> Bool {
      guard sample.framePointer == 0, state.framePointer == nil, let place,
        place.ownsFramePointer(sample.architecture)
      else { return false }
      var likely: UInt64?
      for word in 0..<Unwinder.scannedFrameWords {
        let slot = state.stackPointer &+ word * 8
        guard let next = state.load(slot), let address = state.load(slot &+ 8) else { break }
        let pointer = UnwindState.unmarked(next)
        guard pointer == 0 || pointer > slot, slot % 16 == 0 || sample.architecture == .arm,
          isReturnAddress(address)
        else { continue }
        if calls(address, place) {
          state.take(framePointer: slot)
          return true
        }
        if likely == nil, pointer != 0 { likely = slot }
      }
      guard let likely else { return false }
      state.take(framePointer: likely)
      markGap()
      return true
    }

    private func supported(_ place: Place?) -> Place? {
      guard let place else { return nil }
      switch (place.module.machine, sample.architecture) {
      case (.x86, .x86), (.arm, .arm), (nil, _): return place
      default: return Place(module: place.module, address: place.address, rule: nil)
      }
    }

    /// Without call frame information: to a return address whose call leads here.
    ///
    /// Compilers leave out the information for functions that need no frame, so this is the way out
    /// of many innermost frames. A word that follows a call of this very function is its return
    /// address; one that follows some other call may be, and then a gap is marked.
    private mutating func walkFrame(from place: Place?) -> Bool {
      let isInnermost = result.addresses.count == 1
      let before = state
      let top = sample.architecture == .x86 && isInnermost ? state.stackPointer : nil
      if let top, let address = state.load(top), calls(address, place) {
        return go(to: address, above: top, isExact: true)
      }
      if let address = state.stepByFramePointer(), calls(address, place) {
        push(address, lookup: address &- 1)
        return true
      }
      state = before
      for word in 0..<UInt64(place == nil ? 0 : Unwinder.scannedWords) {
        let slot = state.stackPointer &+ word * 8
        guard let address = state.load(slot) else { break }
        if calls(address, place) { return go(to: address, above: slot, isExact: false) }
      }
      if let top, let address = state.load(top), isReturnAddress(address) {
        return go(to: address, above: top, isExact: false)
      }
      if let address = state.stepByFramePointer(), isReturnAddress(address) {
        markGap()
        push(address, lookup: address &- 1)
        return true
      }
      state = before
      join(after: place)
      return false
    }

    private mutating func go(to address: UInt64, above slot: UInt64, isExact: Bool) -> Bool {
      state.leave(to: address, above: slot, keepsRegisters: isExact)
      if !isExact { markGap() }
      push(address, lookup: address &- 1)
      return true
    }

    /// Whether the call before the return address `address` is one of the function at `place`.
    private func calls(_ address: UInt64, _ place: Place?) -> Bool {
      guard let place, address > 1, let caller = unwinder.place(of: address - 1, in: mappings),
        caller.module === place.module, let target = caller.module.callTarget(caller.address + 1)
      else { return false }
      return place.module.function(at: place.address)?.start == target
    }

    /// Goes on with the kernel's callchain from where the two meet.
    private mutating func join(after place: Place?) {
      let chain = sample.callchain
      guard chain.count > 1 else { return }
      var next: Int?
      var isExact = false
      if let last = exact.last, exact.count > 1, let index = chain.lastIndex(of: last) {
        // The kernel came by the same return address.
        next = index + 1
        isExact = place?.ownsFramePointer(sample.architecture) ?? false
      }
      if next == nil, let pointer = state.framePointer,
        let index = state.frameChain().firstIndex(of: pointer), index + 1 < chain.count
      {
        // The kernel came by the same frame pointer; chain[index + 1] was read right above it.
        next = index + 1
        isExact = place?.ownsFramePointer(sample.architecture) ?? false
      }
      if next == nil, let seen = lastSeen(in: chain) {
        next = seen + 1
      }
      guard var index = next else { return }
      // What the kernel read below the frames that are unwound already is not their caller.
      let frames = state.frameChain()
      while index > 0, index - 1 < frames.count, frames[index - 1] &+ 8 < state.stackPointer {
        index += 1
        isExact = false
      }
      while index < chain.count, result.addresses.count < Unwinder.maximumDepth {
        let address = chain[index]
        guard isReturnAddress(address) else { return }
        if !isExact { markGap() }
        push(address, lookup: address &- 1)
        let place = unwinder.place(of: address &- 1, in: mappings)
        if isThreadStart(place) { return }
        if place?.rule?.returnAddress == .undefined {
          reachedOutermost = true
          return
        }
        isExact = place?.ownsFramePointer(sample.architecture) ?? false
        index += 1
      }
    }

    /// The furthest place of the kernel's chain that the unwound frames came by.
    private func lastSeen(in chain: [UInt64]) -> Int? {
      let known = Set(exact.dropFirst())
      return chain.lastIndex { known.contains($0) } ?? (exact.count == 1 ? 0 : nil)
    }

    private func isReturnAddress(_ address: UInt64) -> Bool {
      guard address > 1, let mapping = mappings.find(address - 1) else { return false }
      let module = unwinder.modules.module(for: mapping)
      guard let link = module.linkAddress(of: address - 1, in: mapping) else {
        // No file to look into: the mapping must do, if it may be code.
        return module.machine == nil && module.mayHoldCode
      }
      return module.isCallSite(link + 1)
    }

    private func isCode(_ address: UInt64) -> Bool {
      guard let mapping = mappings.find(address) else { return false }
      let module = unwinder.modules.module(for: mapping)
      guard let link = module.linkAddress(of: address, in: mapping) else {
        return module.machine == nil && module.mayHoldCode
      }
      return module.isExecutable(link)
    }

    /// Whether this is a function that starts a thread or the process.
    private func isThreadStart(_ place: Place?) -> Bool {
      place.map { $0.module.isThreadStart($0.address) } ?? false
    }
  }
}
