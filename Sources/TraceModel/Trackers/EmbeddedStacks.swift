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
  /// The lists of samples that are known by what they hold, and until when: parts of a recording that are read together
  /// have each their own.
  private var keyed: [Int: [(until: UInt64, list: Int32)]] = [:]
  /// The stack of each list, once it was asked for.
  private var stacks: [Int32: Int] = [:]

  var isEmpty: Bool { samples.isEmpty && keyed.isEmpty }

  mutating func add(_ symbol: Int, _ frame: Int32) { frames[symbol] = frame }

  mutating func add(_ stack: StackEvent) {
    let list = listNumbers[stack.frames] ?? Int32(clamping: lists.count)
    if list == lists.count {
      listNumbers[stack.frames] = list
      lists.append(stack.frames)
    }
    if let keys = stack.keys {
      for key in keys { keyed[key, default: []].append((stack.time, list)) }
      return
    }
    for time in stack.times {
      samples.append(time: time, tid: Int32(clamping: stack.tid), value: list)
    }
  }

  /// To be called after all was added and before the first question.
  mutating func sort() {
    samples.sort()
    for key in keyed.keys { keyed[key]?.sort { $0.until < $1.until } }
  }

  /// The frames of a sample's stack that have names; it holds what has that key.
  mutating func knownFrames(of context: DecodingContext, key: Int) -> [Int32] {
    (told(of: context) ?? list(of: key, context)).map {
      lists[Int($0)].compactMap { frames[$0] }
    } ?? []
  }

  mutating func stack(of context: DecodingContext, in table: inout StackTable) -> Int? {
    guard let list = told(of: context) ?? list(of: context) else { return nil }
    if let known = stacks[list] { return known }
    let gap = table.intern(.gap)
    let stack = table.intern(stack: lists[Int(list)].map { frames[$0] ?? gap })
    stacks[list] = stack
    return stack
  }

  private mutating func told(of context: DecodingContext) -> Int32? {
    samples.value(time: context.time.nanoseconds, tid: context.tid)
  }

  private func list(of context: DecodingContext) -> Int32? {
    guard !keyed.isEmpty, context.attribute.sampleType.contains(.callchain) else { return nil }
    let sample = context.sample
    return StackKey.of(pid: sample.pid, callchain: sample.callchain).flatMap {
      list(of: $0, context)
    }
  }

  private func list(of key: Int, _ context: DecodingContext) -> Int32? {
    keyed[key]?.first { $0.until >= context.time.nanoseconds }?.list
  }
}
