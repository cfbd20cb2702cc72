/// What a thread does in an interval, of a wait with the stack that it waits at and the thread that ends it, in one
/// word.
struct IntervalKey: Hashable, Sendable {
  private(set) var bits: UInt64

  /// Stacks of this number or a higher one, of which no memory holds so many, are left out.
  static let mostStacks = 1 << 27 - 1
  private static var stackShift: UInt64 { 37 }
  private static var hasWaker: UInt64 { 1 << 36 }
  private static var codeShift: UInt64 { 32 }
  private static var codeMask: UInt64 { 0xf }
  private static var running: UInt64 { 12 }
  private static var runnable: UInt64 { 13 }

  @inline(__always)
  init(_ state: ThreadState, stack: Int? = nil) {
    let code =
      switch state {
      case .running: Self.running
      case .runnable: Self.runnable
      case .blocked(let cause): UInt64(truncatingIfNeeded: cause.rank)
      }
    bits = code << Self.codeShift
    if let stack, stack >= 0, stack < Self.mostStacks {
      bits |= UInt64(truncatingIfNeeded: stack &+ 1) << Self.stackShift
    }
  }

  /// A wait of no known cause and without a stack.
  static var unknown: IntervalKey { IntervalKey(.blocked(.unknown)) }

  /// The same, ended by a thread.
  @inline(__always)
  func ended(by waker: Int32?) -> IntervalKey {
    guard let waker else { return self }
    var ended = self
    ended.bits |= Self.hasWaker | UInt64(UInt32(bitPattern: waker))
    return ended
  }

  private var code: UInt64 { bits >> Self.codeShift & Self.codeMask }

  /// Whether it is `unknown`, whoever ended it.
  @inline(__always)
  var isUnknown: Bool {
    (bits & ~Self.hasWaker) >> Self.codeShift == Self.unknown.bits >> Self.codeShift
  }

  @inline(__always)
  var isIdle: Bool {
    let code = code
    return code == UInt64(truncatingIfNeeded: WaitCause.eventWait.rank)
      || code == UInt64(truncatingIfNeeded: WaitCause.stopped.rank)
  }

  var state: ThreadState {
    switch code {
    case Self.running: .running
    case Self.runnable: .runnable
    default: .blocked(cause)
    }
  }

  /// Of a wait.
  @inline(__always)
  var cause: WaitCause { WaitCause(rank: Int(truncatingIfNeeded: code)) }

  var stack: Int? { bits >> Self.stackShift == 0 ? nil : Int(bits >> Self.stackShift) - 1 }

  var waker: Int32? { bits & Self.hasWaker == 0 ? nil : Int32(truncatingIfNeeded: bits) }
}
