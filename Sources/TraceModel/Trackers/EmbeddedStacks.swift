import PerfData
import Quantities

/// The stacks that a trace brings along: which each sample has, of frames that the trace names.
struct EmbeddedStacks {
  /// By the symbol's id.
  private var frames: [Int: Int32] = [:]
  /// Which of the lists each sample has.
  private var samples = SampleIndex()
  /// Lists of symbol ids, each once; symbols may come after them.
  private var lists: [[Int]] = []
  private var listNumbers: [[Int]: Int32] = [:]
  /// The stack of each list, once it was asked for.
  private var stacks: [Int32: Int] = [:]

  var isEmpty: Bool { samples.isEmpty }

  mutating func add(_ symbol: Int, _ frame: Int32) { frames[symbol] = frame }

  mutating func add(_ stack: StackEvent) {
    let list = listNumbers[stack.frames] ?? Int32(clamping: lists.count)
    if list == lists.count {
      listNumbers[stack.frames] = list
      lists.append(stack.frames)
    }
    for time in stack.times {
      samples.append(time: time, tid: Int32(clamping: stack.tid), value: list)
    }
  }

  /// To be called after all was added and before the first question.
  mutating func sort() { samples.sort() }

  /// The frames of a sample's stack that have names.
  mutating func knownFrames(of context: DecodingContext) -> [Int32] {
    list(of: context).map { lists[Int($0)].compactMap { frames[$0] } } ?? []
  }

  mutating func stack(of context: DecodingContext, in table: inout StackTable) -> Int? {
    guard let list = list(of: context) else { return nil }
    if let known = stacks[list] { return known }
    let gap = table.intern(.gap)
    let stack = table.intern(stack: lists[Int(list)].map { frames[$0] ?? gap })
    stacks[list] = stack
    return stack
  }

  private mutating func list(of context: DecodingContext) -> Int32? {
    samples.value(time: context.time.nanoseconds, tid: context.tid)
  }
}
