import CPreloadRing
import PerfData

/// The labels of the queues that a program's stacks tell of, read from its memory soon after the stacks came.
///
/// A stack in which libdispatch runs what is in a serial queue holds that queue's address. The program is not asked:
/// the memory at what may be that address tells whether a queue is there, and its label. A queue that is gone by then,
/// as those of a program that has ended, is not named.
struct PreloadQueues {
  /// Words of stacks that may be queues' addresses, with the time before the first such stack.
  private var candidates: [UInt64: UInt64] = [:]
  private var known: [UInt64: String] = [:]
  /// What was no queue.
  private var others: Set<UInt64> = []
  private var othersSince: UInt64 = 0
  private var layout: QueueLayout?
  /// Whether it is known where libdispatch is.
  var canTell: Bool { layout != nil }
  private var searches = 0
  private var nextSearch: UInt64 = 0
  /// Stacks that came before it was searched for.
  private var early: [(stack: PreloadStacks.Stack, time: UInt64)] = []

  /// Looked at in a round at most.
  private static let mostLooks = 200
  /// For how long what is no queue is taken for none.
  private static let patience: UInt64 = 1_000_000_000
  /// How long after one search for libdispatch the next one is: a program may load it as it runs.
  private static let searchPauses: [UInt64] = [1_000_000_000, 10_000_000_000]
  private static let mostEarly = 256
  private static let mostKnown = 16_384
  private static let pageBytes: UInt64 = 4096
  /// Where a program's half of the addresses ends, with whatever tables of pages.
  private static let lastAddress: UInt64 = 1 << 56
  /// What a thread's stack takes, from its pointer on.
  private static let ownStackBytes: UInt64 = 1 << 20

  /// Takes in a stack that began at a time; returns whether a queue is drained in it, as far as it is known where
  /// libdispatch is.
  @discardableResult
  mutating func note(_ stack: PreloadStacks.Stack, at time: UInt64) -> Bool {
    guard let layout else {
      if searches <= Self.searchPauses.count, early.count < Self.mostEarly {
        early.append((stack, time))
      }
      return false
    }
    guard layout.isDraining(stack.bytes) else { return false }
    let words = stride(from: 0, through: stack.bytes.count - 8, by: 8).compactMap {
      ProcessMemory.word(stack.bytes, at: $0)
    }
    let pointer = stack.registers[PreloadSource.stackPointer]
    let own =
      pointer..<(pointer &+ Self.ownStackBytes < pointer ? .max : pointer + Self.ownStackBytes)
    for word in stack.registers + words
    where word % 16 == 0 && word >= Self.pageBytes && word < Self.lastAddress
      && !own.contains(word) && !others.contains(word) && candidates[word] == nil
    {
      candidates[word] = time &- 1
    }
    return true
  }

  /// The queues that were not known before, or not by that label, each from the time before its first stack on.
  mutating func found(in pid: Int32, now: UInt64) -> [(event: QueueEvent, time: UInt64)] {
    findLayout(in: pid, now: now)
    guard let layout, !candidates.isEmpty else { return [] }
    defer { candidates = [:] }
    if now >= othersSince + Self.patience { (others, othersSince) = ([], now) }
    guard let memory = ProcessMemory(of: pid) else { return [] }
    var events: [(event: QueueEvent, time: UInt64)] = []
    for (address, time) in candidates.sorted(by: { ($0.value, $0.key) < ($1.value, $1.key) })
      .prefix(Self.mostLooks)
    {
      let label = layout.label(at: address, in: memory)
      if label == nil { others.insert(address) }
      guard label ?? "" != known[address] ?? "" else { continue }
      // They are told again.
      if known.count >= Self.mostKnown { known = [:] }
      known[address] = label
      events.append((QueueEvent(address: address, label: label ?? ""), time))
    }
    return events
  }

  /// A part of the recording begins, which knows of none of them.
  mutating func beginPart() { known = [:] }

  private mutating func findLayout(in pid: Int32, now: UInt64) {
    guard layout == nil, !early.isEmpty, now >= nextSearch else { return }
    nextSearch = searches < Self.searchPauses.count ? now + Self.searchPauses[searches] : .max
    searches += 1
    layout = ProcessMemory(of: pid).flatMap {
      QueueLayout(pid: pid, MemoryMapping.all(of: pid), $0)
    }
    let stacks = early
    early = []
    if layout != nil { for (stack, time) in stacks { note(stack, at: time) } }
  }
}
