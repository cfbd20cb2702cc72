import CPreloadRing
import Dispatch
import Glibc
import Testing

@testable import Recording

@Suite struct PreloadQueuesTests {
  private let queue = DispatchQueue(label: "lull.test.found")

  /// Where libdispatch's object lies, which on Linux Swift's own keeps in its only property.
  private func address() throws -> UInt64 {
    let wrapped = Mirror(reflecting: queue).children.first { $0.label == "__wrapped" }?.value
    return UInt64(UInt(bitPattern: try #require(wrapped as? OpaquePointer)))
  }

  private func layout() throws -> QueueLayout {
    let memory = try #require(ProcessMemory(of: getpid()))
    return try #require(QueueLayout(pid: getpid(), MemoryMapping.all(of: getpid()), memory))
  }

  /// A stack of these words, with its pointer elsewhere.
  private func stack(_ words: [UInt64]) -> PreloadStacks.Stack {
    var registers = [UInt64](repeating: 0, count: Int(lull_registers))
    registers[PreloadSource.stackPointer] = 0x7fff_0000_0000
    return PreloadStacks.Stack(
      registers,
      words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
    )
  }

  @Test
  func `a queue is found in a stack that drains one, from before the stack on, and told once`()
    throws
  {
    let (address, drain) = (try address(), try layout().drain.lowerBound + 9)
    var queues = PreloadQueues()
    queues.note(stack([0x1230, address, drain]), at: 500)
    queues.note(stack([address, drain]), at: 600)
    let found = queues.found(in: getpid(), now: 1000)
    #expect(found.map(\.event.label) == ["lull.test.found"])
    #expect(found.map(\.event.address) == [address] && found.map(\.time) == [499])
    queues.note(stack([address, drain]), at: 2000)
    #expect(queues.found(in: getpid(), now: 3000).isEmpty)
    // The next part of a recording knows nothing of it.
    queues.beginPart()
    queues.note(stack([address, drain]), at: 4000)
    #expect(queues.found(in: getpid(), now: 5000).map(\.time) == [3999])
  }

  @Test func `where no queue is drained none is looked for`() throws {
    var queues = PreloadQueues()
    queues.note(stack([try address(), try layout().drain.upperBound]), at: 500)
    #expect(queues.found(in: getpid(), now: 1000).isEmpty)
  }

  @Test func `what is where a queue was has not that queue's name`() throws {
    let (layout, drain) = (try layout(), try layout().drain.lowerBound + 9)
    let memory = UnsafeMutablePointer<UInt64>.allocate(capacity: QueueLayout.objectBytes / 8)
    defer { memory.deallocate() }
    memory.initialize(repeating: 0, count: QueueLayout.objectBytes / 8)
    let label = strdup("lull.test.gone")
    defer { free(label) }
    memory[0] = layout.table
    memory[layout.labelOffset / 8] = UInt64(UInt(bitPattern: label))
    let address = UInt64(UInt(bitPattern: memory))
    var queues = PreloadQueues()
    queues.note(stack([address, drain]), at: 500)
    #expect(queues.found(in: getpid(), now: 1000).map(\.event.label) == ["lull.test.gone"])
    memory[0] = 0
    queues.note(stack([address, drain]), at: 2000)
    #expect(queues.found(in: getpid(), now: 3000).map(\.event.label) == [""])
  }

  @Test func `of a process that cannot be read nothing is told`() throws {
    var queues = PreloadQueues()
    queues.note(stack([0x1230]), at: 500)
    #expect(queues.found(in: Int32.max, now: 1000).isEmpty)
  }

  // MARK: - Limits

  /// Queues of the same label, as libdispatch would have them. They are in memory that is given back whole: left in the
  /// heap they would be taken for queues by who looks through it next.
  private func withQueues(
    _ count: Int, _ body: (_ queues: [UInt64], _ drain: UInt64) throws -> Void
  ) throws {
    let layout = try layout()
    let words = (layout.labelOffset / 8 + 2) / 2 * 2
    let place = try #require(
      mmap(nil, count * words * 8, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
    try #require(place != MAP_FAILED)
    let first = place.bindMemory(to: UInt64.self, capacity: count * words)
    let label = strdup("lull.test.many")
    defer {
      munmap(place, count * words * 8)
      free(label)
    }
    for queue in (0..<count).map({ first + $0 * words }) {
      queue[0] = layout.table
      queue[layout.labelOffset / 8] = UInt64(UInt(bitPattern: label))
    }
    try body(
      (0..<count).map { UInt64(UInt(bitPattern: first + $0 * words)) }, layout.drain.lowerBound + 9)
  }

  @Test func `so many addresses are looked at in a round`() throws {
    try withQueues(300) { addresses, drain in
      var queues = PreloadQueues()
      queues.note(stack(addresses + [drain]), at: 500)
      #expect(queues.found(in: getpid(), now: 1000).count == 200)
    }
  }

  @Test func `so many stacks are kept until it is known where libdispatch is`() throws {
    try withQueues(1) { addresses, drain in
      func found(behind count: Int) -> Int {
        var queues = PreloadQueues()
        for _ in 0..<count { queues.note(stack([drain]), at: 400) }
        queues.note(stack(addresses + [drain]), at: 500)
        return queues.found(in: getpid(), now: 1000).count
      }
      #expect(found(behind: 255) == 1)
      #expect(found(behind: 256) == 0)
    }
  }

  @Test func `so many queues are known, and told again as there are more`() throws {
    try withQueues(16_385) { addresses, drain in
      var queues = PreloadQueues()
      func tell(_ some: ArraySlice<UInt64>) -> Int {
        queues.note(stack(some + [drain]), at: 500)
        return queues.found(in: getpid(), now: 1000).count
      }
      for start in stride(from: 0, to: 16_384, by: 128) {
        #expect(tell(addresses[start..<start + 128]) == 128)
      }
      #expect(tell(addresses[..<1]) == 0)
      #expect(tell(addresses[16_384...]) == 1)
      #expect(tell(addresses[..<1]) == 1)
    }
  }
}
