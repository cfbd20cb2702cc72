import CPreloadRing

/// The stacks of a process's threads by their numbers: written once, they stand for all calls that bear the number.
struct PreloadStacks {
  typealias Stack = (registers: [UInt64], bytes: [UInt8])

  /// A stack's place: its thread's slot, and its number there.
  struct Place: Hashable {
    var slot: Int
    var number: UInt8
  }

  private struct Known {
    var stack: Stack
    /// When waits in it were told, by what they are in the kernel.
    var told: [String: UInt64] = [:]
    var isShared: Bool
  }

  private var known: [Place: Known] = [:]
  /// Where there are some.
  var places: [Place] { Array(known.keys) }

  /// A stack is told again after so long: who sees the recording's end alone has it, and who reads forgets it later.
  private static let age: UInt64 = 5_000_000_000

  /// A stack was written; one that is not shared stands for that call alone.
  mutating func note(_ stack: Stack, isShared: Bool, at place: Place) {
    known[place] = Known(stack: stack, isShared: isShared)
  }

  /// That of a number; nil where it may be another one by now.
  func stack(at place: Place) -> Stack? {
    known[place].flatMap { $0.isShared ? $0.stack : nil }
  }

  /// When a wait with that stack was last told whole, where a further one need not be.
  func told(_ function: String?, at place: Place, now: UInt64) -> UInt64? {
    guard let known = known[place], known.isShared, let told = known.told[function ?? ""],
      now >= told, now - told < Self.age
    else { return nil }
    return told
  }

  mutating func tell(_ function: String?, at place: Place, now: UInt64) {
    known[place]?.told[function ?? ""] = now
  }

  /// Another thread has the slot.
  mutating func forget(slot: Int) { known = known.filter { $0.key.slot != slot } }

  /// A part of the recording begins, which knows of none of them.
  mutating func beginPart() { for place in known.keys { known[place]?.told = [:] } }
}
