/// Gives the file's pages back to the system as they have been read, so that a pass takes little memory however long
/// the trace.
struct PassedPages {
  /// How much may stay that was read.
  enum Holding {
    case usual
    /// For a program that is to be small, and that nobody waits for.
    case little

    /// In bytes, beyond a large page.
    fileprivate var step: Int { self == .usual ? 4 << 20 : 0 }
    /// What is still wanted is mapped again: after so many batches that takes no time worth mentioning.
    fileprivate var batches: Int { self == .usual ? 4 : 1 }
  }

  private let storage: ByteStorage
  private var released = 0
  /// What was looked at since some was given back, and in how many batches.
  private var lookedAt = OffsetSpan()
  private var batches = 0
  private let holding: Holding
  /// The kernel may map so much where one byte is looked at.
  private static let largePage = 2 << 20

  init(_ storage: ByteStorage, _ holding: Holding = .usual) {
    self.storage = storage
    self.holding = holding
  }

  /// Of a batch of records in order, whose places alternate between the rings that they came from, that was looked at.
  mutating func note(_ span: OffsetSpan) {
    lookedAt.join(span)
    batches += 1
    guard batches >= holding.batches,
      lookedAt.highest - lookedAt.lowest >= max(holding.step, Self.largePage / 2)
    else { return }
    let start = lookedAt.lowest / Self.largePage * Self.largePage
    let end = (lookedAt.highest / Self.largePage + 1) * Self.largePage
    storage.release(start..<min(end, storage.count))
    lookedAt = OffsetSpan()
    batches = 0
  }

  /// All that stands before an offset was read.
  @inline(__always)
  mutating func note(_ offset: Int) {
    guard offset - released >= holding.step + Self.largePage else { return }
    // Where a large page is given back in part, the rest of it is mapped in small ones.
    let end = offset / Self.largePage * Self.largePage
    storage.release(released..<end)
    released = end
  }
}

/// From the lowest to the highest of some offsets in a file.
public struct OffsetSpan: Sendable {
  /// The lowest; .max where there are none.
  public private(set) var lowest = Int.max
  /// The highest; 0 where there are none.
  public private(set) var highest = 0

  /// Of no offsets.
  public init() {}

  /// Takes in another one.
  @inline(__always)
  public mutating func note(_ offset: Int) {
    lowest = min(lowest, offset)
    highest = max(highest, offset)
  }

  /// Takes in all of another span.
  mutating func join(_ other: OffsetSpan) {
    lowest = min(lowest, other.lowest)
    highest = max(highest, other.highest)
  }
}
