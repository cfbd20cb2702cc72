import CPreloadRing

/// The stacks of a process's threads by their numbers: written once, they stand for all calls that bear the number.
struct PreloadStacks {
  /// Registers in perf's order, and what is on the stack from its pointer on.
  final class Stack {
    let registers: [UInt64]
    let bytes: [UInt8]

    init(_ registers: [UInt64], _ bytes: [UInt8]) {
      (self.registers, self.bytes) = (registers, bytes)
    }
  }

  /// A stack's place: its thread's slot, and its number there, from 1 on.
  struct Place {
    var slot: Int
    var number: UInt8

    fileprivate var index: Int { slot * Int(lull_stack_numbers) + Int(number) - 1 }
  }

  private struct Known {
    let place: Place
    /// Of a call that has it.
    let parts: PreloadParts
    /// When waits in it were told, by what they are in the kernel: one thing or two.
    var told: [(function: String?, time: UInt64)] = []
    var isShared: Bool
  }

  private var known: [Known?] = []
  /// When waits of a thread were told of which nothing is known but what stands for the kernel's function.
  private var toldWithoutStack: [Int32: UInt64] = [:]
  /// Where there are some.
  var places: [Place] { known.compactMap { $0?.place } }

  /// A stack is told again after so long: who sees the recording's end alone has it, and who reads forgets it later.
  private static let age: UInt64 = 5_000_000_000

  /// A stack was written; one that is not shared stands for that call alone.
  mutating func note(_ stack: Stack, isShared: Bool, at place: Place) {
    guard place.number >= 1, place.number <= lull_stack_numbers else { return }
    while known.count <= place.index { known.append(nil) }
    known[place.index] = Known(
      place: place, parts: PreloadParts(earlier: stack, at: place), isShared: isShared)
  }

  /// What a call has with the stack of a number; nil where that may be another one by now.
  func parts(at place: Place) -> PreloadParts? {
    guard known.indices.contains(place.index), let known = known[place.index], known.isShared
    else { return nil }
    return known.parts
  }

  /// When a wait with that stack was last told whole, where a further one need not be.
  func told(_ function: String?, at place: Place, now: UInt64) -> UInt64? {
    guard known.indices.contains(place.index), let known = known[place.index], known.isShared
    else { return nil }
    return known.told.first { $0.function == function }.flatMap { Self.recent($0.time, now: now) }
  }

  mutating func tell(_ function: String?, at place: Place, now: UInt64) {
    guard known.indices.contains(place.index) else { return }
    known[place.index]?.told.removeAll { $0.function == function }
    known[place.index]?.told.append((function, now))
  }

  /// The same for a wait of a thread without a stack, of which all are alike.
  func toldWithoutStack(of tid: Int32, now: UInt64) -> UInt64? {
    toldWithoutStack[tid].flatMap { Self.recent($0, now: now) }
  }

  mutating func tellWithoutStack(of tid: Int32, now: UInt64) { toldWithoutStack[tid] = now }

  private static func recent(_ time: UInt64, now: UInt64) -> UInt64? {
    now >= time && now - time < age ? time : nil
  }

  /// Another thread has the slot.
  mutating func forget(slot: Int) {
    for index in known.indices where known[index]?.place.slot == slot { known[index] = nil }
  }

  /// The thread ended.
  mutating func forget(_ tid: Int32) { toldWithoutStack[tid] = nil }

  /// A part of the recording begins, which knows of none of them.
  mutating func beginPart() {
    for index in known.indices { known[index]?.told = [] }
    toldWithoutStack = [:]
  }
}
