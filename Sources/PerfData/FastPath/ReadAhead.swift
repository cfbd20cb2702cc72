import Dispatch
import Synchronization

/// Chunks that are read by whichever core has time, ahead of the one that orders.
final class ReadAhead: Sendable {
  /// 2 MB of the file, of which the records take a third or less: enough to go on with while the other core is busy
  /// with a large round.
  private static let most = 8

  private enum State { case none, reading, read }

  private struct Claims {
    /// The first chunk that nobody has begun.
    var next = 0
    /// The one that is ordered.
    var ordered = 0
    /// By number modulo their count.
    var states = [State](repeating: .none, count: ReadAhead.most)
    /// The one that the ordering core waits for.
    var awaited: Int?
    /// Those that nobody uses.
    var readers: [ChunkReader] = []
  }

  let demands: PlanTable
  private let data: RecordData
  private let grid: ChunkGrid
  private let chunks: [ReadChunk]
  private let claims = Mutex(Claims())
  private let done = DispatchSemaphore(value: 0)

  init(_ data: RecordData, _ demands: PlanTable) {
    self.data = data
    self.demands = demands
    grid = ChunkGrid(data: data.range)
    chunks = (0..<min(Self.most, grid.count)).map { _ in ReadChunk() }
  }

  /// Reads the next chunk that nobody has begun; false where none is wanted.
  func readNext() -> Bool {
    let claim = claims.withLock { claims -> (number: Int, reader: ChunkReader?)? in
      guard claims.next < min(claims.ordered + Self.most, grid.count),
        claims.states[claims.next % Self.most] != .reading
      else { return nil }
      claims.states[claims.next % Self.most] = .reading
      claims.next += 1
      return (claims.next - 1, claims.readers.popLast())
    }
    guard let number = claim?.number else { return false }
    let reader = claim?.reader ?? ChunkReader(data, demands)
    reader.read(grid.range(number), to: chunks[number % Self.most])
    let isAwaited = claims.withLock {
      $0.readers.append(reader)
      $0.states[number % Self.most] = .read
      guard $0.awaited == number else { return false }
      $0.awaited = nil
      return true
    }
    if isAwaited { done.signal() }
    return true
  }

  /// A chunk of which the turn has come; nil where nobody has read it.
  ///
  /// It stays as it is until the next one is taken.
  func take(_ number: Int) -> ReadChunk? {
    let isBegun = claims.withLock {
      let isBegun = number < $0.next
      $0.next = max($0.next, number + 1)
      $0.ordered = number
      return isBegun
    }
    guard isBegun else { return nil }
    while true {
      let isRead = claims.withLock { $0.states[number % Self.most] == .read }
      if isRead { return chunks[number % Self.most] }
      // The other core is at it.
      if readNext() { continue }
      let waits = claims.withLock {
        guard $0.states[number % Self.most] == .reading else { return false }
        $0.awaited = number
        return true
      }
      if waits { done.wait() }
    }
  }
}
