import Dispatch
import Glibc
import Testing

@testable import Recording

@Suite struct QueueLabelsTests {
  /// Where libdispatch's object lies, which on Linux Swift's own keeps in its only property.
  private func address(of queue: DispatchQueue) -> UInt64? {
    let wrapped = Mirror(reflecting: queue).children.first { $0.label == "__wrapped" }?.value
    return (wrapped as? OpaquePointer).map { UInt64(UInt(bitPattern: $0)) }
  }

  /// More than a process of tests holds that has been at work for an hour.
  private static let all: UInt64 = 16 << 30

  @Test func `this process's own queues are found by their addresses, with their labels`() throws {
    let queues = (0..<3).map { DispatchQueue(label: "lull.test.\($0)") }
    let concurrent = DispatchQueue(label: "lull.test.concurrent", attributes: .concurrent)
    let found = QueueLabels.labels(pid: getpid(), in: Self.all)
    try #require(!found.isEmpty, "no libdispatch that is known")
    for queue in queues {
      let address = try #require(self.address(of: queue))
      #expect(
        found.filter { $0.address == address }.map(\.label) == [queue.label], "of \(found.count)")
    }
    // Its drains are told apart by nothing.
    #expect(!found.contains { $0.label == concurrent.label })
    withExtendedLifetime((queues, concurrent)) {}
  }

  // A process reserves more than is looked through: thread stacks, arenas.
  @Test func `queues are found behind memory that was never touched`() throws {
    let reserved: UInt64 = 4 << 30
    let place = try #require(
      mmap(
        nil, Int(reserved), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
        0))
    try #require(place != MAP_FAILED)
    defer { munmap(place, Int(reserved)) }
    let start = UInt64(UInt(bitPattern: place))
    let pages = try #require(PageMap(of: getpid()))
    #expect(!pages.holdsAny(of: start..<start + reserved / 2))
    place.storeBytes(of: 1, toByteOffset: 5 << 20, as: UInt8.self)
    #expect(pages.holdsAny(of: start..<start + 6 << 20))
    #expect(!pages.holdsAny(of: start + 6 << 20..<start + 64 << 20))
    let queue = DispatchQueue(label: "lull.test.behind")
    let found = QueueLabels.labels(pid: getpid(), in: Self.all)
    #expect(found.contains { $0.label == queue.label }, "of \(found.count)")
    withExtendedLifetime(queue) {}
  }

  // The kernel maps each buffer below the last.
  @Test func `the C library's heaps are looked through before large buffers`() {
    func mapping(_ start: UInt64, _ path: Substring = "", isWritable: Bool = true) -> MemoryMapping
    {
      MemoryMapping(
        start: start, end: start + 0x21000, isWritable: isWritable, isExecutable: false,
        fileOffset: 0, path: path)
    }
    let mappings = [
      mapping(0x5581_0000_0000, "/usr/bin/server"), mapping(0x5581_2345_6000, "[heap]"),
      mapping(0x7f12_1234_5000), mapping(0x7f12_3400_0000),
      mapping(0x7f12_3800_0000, isWritable: false),
      mapping(0x7f12_3c00_0000, "[anon: arena]"), mapping(0x7f12_4000_1000, "/dev/shm/shared"),
    ]
    #expect(
      QueueLabels.inOrderOfLikelihood(mappings).map(\.start) == [
        0x5581_2345_6000, 0x7f12_3400_0000, 0x7f12_3c00_0000, 0x7f12_1234_5000,
      ])
  }

  @Test func `words are found where they are aligned, before an end`() {
    var bytes = [UInt8](repeating: 0, count: 41)
    for place in [0, 11, 16, 32] { bytes.replaceSubrange(place..<place + 8, with: 1...8) }
    let word: UInt64 = 0x0807_0605_0403_0201
    #expect(QueueLabels.places(of: word, in: bytes, before: 41) == [0, 16, 32])
    #expect(QueueLabels.places(of: word, in: bytes, before: 32) == [0, 16])
    #expect(QueueLabels.places(of: word, in: [1, 2, 3], before: 8).isEmpty)
  }

  @Test func `of a process that cannot be read nothing is told`() {
    #expect(QueueLabels.labels(pid: Int32.max).isEmpty)
  }
}
