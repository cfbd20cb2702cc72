import Quantities
import Testing

@testable import Signals

/// Reads a grid back, by the format's description.
struct DecodedGrid {
  private var runs: [(start: UInt64, count: UInt64, values: [Int: UInt64])] = []

  /// The amounts of every cell that has any.
  var cells: [UInt64: [Int: UInt64]] {
    var cells: [UInt64: [Int: UInt64]] = [:]
    for run in runs {
      for cell in run.start..<run.start + run.count { cells[cell] = run.values }
    }
    return cells
  }

  init(_ encoder: GridEncoder) { self.init(encoder.bytes, quantum: encoder.quantum) }

  init(_ all: [UInt8], quantum: UInt64) {
    var bytes = all[...]
    var length: UInt64 = 0
    func number() -> UInt64 {
      var value: UInt64 = 0
      var shift: UInt64 = 0
      while let byte = bytes.popFirst() {
        value |= UInt64(byte & 0x7F) << shift
        if byte < 0x80 { break }
        shift += 7
      }
      return value
    }
    while !bytes.isEmpty {
      let token = number()
      let count = token >> 2
      switch token & 3 {
      case 0: length += count
      case 2:
        var values: [Int: UInt64] = [:]
        for channel in 0..<62 where count >> UInt64(channel) & 1 == 1 { values[channel] = number() }
        runs.append((length, 1, values))
        length += 1
      default:
        let channel = Int(number())
        let value = token & 3 == 1 ? quantum : number()
        runs.append((length, count, [channel: value]))
        length += count
      }
    }
  }

  func total(_ channel: Int) -> UInt64 {
    runs.reduce(0) { $0 + ($1.values[channel] ?? 0) * $1.count }
  }
}

@Suite struct GridTests {
  @Test(arguments: [1, 2, 8, 64, 4096] as [UInt64])
  func `a grid holds what was put in, cell by cell, at any resolution`(quantum: UInt64) {
    var random = SeededGenerator(seed: 7 + quantum)
    var expected: [UInt64: [Int: UInt64]] = [:]
    var encoder = GridEncoder(quantum: quantum, channels: 3, budget: .max)
    var time: UInt64 = 0
    for _ in 0..<300 {
      let start = time + random.next() % 3
      let end = start + random.next() % 200
      let channel = Int(random.next() % 3)
      encoder.add(from: start, to: end, channel: channel)
      for moment in start..<end {
        expected[moment / quantum, default: [:]][channel, default: 0] += 1
      }
      time = end
    }
    encoder.finish()
    #expect(DecodedGrid(encoder).cells == expected)
  }

  @Test func `spans of several threads and events add up`() {
    var encoder = GridEncoder(quantum: 16, channels: 2, budget: .max)
    encoder.add(from: 8, to: 40, channel: 0, weight: 3)
    encoder.add(5, at: 41, channel: 1)
    encoder.add(7, at: 500, channel: 1)
    encoder.finish()
    let grid = DecodedGrid(encoder)
    #expect(grid.cells == [0: [0: 24], 1: [0: 48], 2: [0: 24, 1: 5], 31: [1: 7]])
  }

  @Test func `the finest grid within the budget is taken, and nothing is lost by it`() {
    func fill(_ grid: inout GridEncoder) {
      for index in 0..<UInt64(100_000) {
        grid.add(from: index * 1000, to: index * 1000 + 130, channel: 0)
        grid.add(from: index * 1000 + 130, to: index * 1000 + 1000, channel: 1)
      }
    }
    let grid = GridEncoder.fit(channels: 2, budget: 20_000, duration: 100_000_000, fill)
    #expect(grid.bytes.count <= 20_000)
    #expect(grid.quantum > 1)
    var finer = GridEncoder(quantum: grid.quantum / 2, channels: 2, budget: 20_000)
    fill(&finer)
    finer.finish()
    #expect(finer.isOverBudget)
    let decoded = DecodedGrid(grid)
    #expect(decoded.total(0) == 13_000_000)
    #expect(decoded.total(1) == 87_000_000)
    let small = GridEncoder.fit(channels: 2, budget: 20_000, duration: 10_000) {
      $0.add(from: 3, to: 9000, channel: 1)
    }
    #expect(small.quantum == 1)
  }
}
