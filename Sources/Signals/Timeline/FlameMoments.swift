import FoundationEssentials
import Quantities

/// When the time of a flame graph was, so that a page can draw it of any span.
package struct FlameMoments: Sendable, Codable, Equatable {
  /// Length of a grid cell in microseconds: times are whole cells.
  package var quantum = 1
  /// In base 64, for each in the order of their beginnings four LEB128 numbers: cells since the one before, cells that
  /// it lasts (0 for a sample), the node at which it ends, microseconds that it adds there.
  package var data = ""
}

/// Time by when it was and at which node it ended, as it is added up.
struct FlameMomentSums {
  private struct Cell: Hashable {
    var start: Int
    var length: Int
    var node: Int
  }

  /// More of them are joined, on a coarser grid.
  private static let most = 12_000
  /// Finer than a screen, and still few enough to be held.
  private static let finest = 65_536.0

  private var quantum = 1
  /// In nanoseconds, whose sums are the same in any order.
  private var sums: [Cell: Int] = [:]

  init(duration: Double) {
    while Double(quantum) * Self.finest < duration * 1e6 { quantum *= 2 }
  }

  mutating func add(_ seconds: Double, from start: Double, lasting length: Double, at node: Int) {
    let first = Int(saturating: max(start, 0) * 1e6) / quantum
    let last = Int(saturating: max(start + length, 0) * 1e6) / quantum
    let cell = Cell(start: first, length: max(last - first, 0), node: node)
    sums[cell, default: 0] += Int(saturating: (seconds * 1e9).rounded())
  }

  /// The finest grid on which there are few enough; `nodes` tells by which node each is known from now on.
  func moments(ofNodes nodes: [Int]) -> FlameMoments {
    var joined: [Cell: Int] = [:]
    for (cell, sum) in sums {
      joined[
        Cell(start: cell.start, length: cell.length, node: nodes[cell.node]), default: 0] += sum
    }
    var factor = 1
    // All of a node in one cell cannot be joined any further.
    while joined.count > Self.most, quantum * factor < 1 << 40 {
      factor *= 2
      var coarser: [Cell: Int] = [:]
      for (cell, sum) in joined {
        let end = (cell.start + cell.length) / 2
        let wide = Cell(start: cell.start / 2, length: end - cell.start / 2, node: cell.node)
        coarser[wide, default: 0] += sum
      }
      joined = coarser
    }
    var bytes: [UInt8] = []
    var last = 0
    for (cell, sum) in joined.sorted(by: {
      ($0.key.start, $0.key.node, $0.key.length) < ($1.key.start, $1.key.node, $1.key.length)
    }) {
      for number in [cell.start - last, cell.length, cell.node, (sum + 500) / 1000] {
        Self.append(number, to: &bytes)
      }
      last = cell.start
    }
    return FlameMoments(quantum: quantum * factor, data: Data(bytes).base64EncodedString())
  }

  private static func append(_ number: Int, to bytes: inout [UInt8]) {
    var rest = UInt64(max(number, 0))
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}
