import CPerfEvent
import CPreloadRing
import Glibc
import PerfData

/// A process that is recorded from within: its rings, and what is known of its threads.
final class PreloadProcess {
  let pid: Int32
  let parent: Int32
  /// The file of the program that runs the library, once it is told.
  var program: String?
  var segments: [PreloadSegment]
  /// Threads that ran before the recording, by their ids, until they make themselves known.
  var earlier: [Int32: EarlierThread] = [:]
  /// The numbers of the internet sockets that its program began with, as far as they were told.
  var inheritedSockets: Set<Int32> = []
  /// Whether its program took the place of one that was recorded as well.
  var isNextProgram = false
  /// The internet sockets that were found as the recording began, until they are told.
  var foundSockets: [OpenSocket]?
  /// Whether it ran before the recording.
  let isEarlier: Bool
  /// Whether a program of its own began and is to be told, once its name is known.
  var isToBeTold: Bool
  let began: UInt64
  /// When its program, or it itself, began, where that is known better than by its first word; and what its first
  /// thread had used by then, where that is known.
  var beginning: (time: UInt64, use: PreloadUse?)?
  /// When a thread, of this slot, was about to run another program in its place, and what it had used.
  typealias Leaving = (time: UInt64, use: PreloadUse?, slot: Int)
  var leaving: Leaving?
  /// Becomes readable when it ends; -1 where the kernel has no pidfd.
  let pidfd: Int32
  /// Where its first thread ended while no other had begun; the one that is to begin was made before.
  var firstEnd: PreloadWriter.Place?
  /// The threads by slot: segment and number.
  var threads = SlotTable<PreloadThread>()
  /// Where threads wait that have waited for long, by slot.
  var looks: [Int: PreloadLook] = [:]
  /// The look before, where that call was not over: a signal's handler waits in the midst of it.
  var outerLooks: [Int: PreloadLook] = [:]
  var wakes = PreloadWakes()
  var queues = PreloadQueues()
  var stacks = PreloadStacks()
  var stops: PreloadStops
  var sums = PreloadSums()
  /// How often its threads waited, as it told when it ended, and how many waits of them were told.
  var voluntarySwitches: UInt64?
  var toldWaits: UInt64 = 0
  /// Where the executable mappings begin that were told, and the inodes of their files where those are known.
  var mapped: [UInt64: UInt64?] = [:]
  /// Whether a stack came since its mappings were looked at, and when that was.
  var hasNewStack = false
  var lastMaps: UInt64
  /// How long after that they are looked at again.
  var mapsInterval = shortestMapsInterval
  static let shortestMapsInterval: UInt64 = 250_000_000
  /// When it ended by its own doing.
  var ended: UInt64?
  /// What it held and had used as it ended, and when that was; not told yet.
  var lastMemory: (reading: FootprintSample, time: UInt64)?
  var lastTime: UInt64
  private var lostBefore: UInt64 = 0
  private var wasAsked = false

  /// A process that runs as it is asked to be recorded.
  init(_ pid: Int32, _ earlier: [EarlierThread], at time: UInt64) {
    self.pid = pid
    parent = 0
    segments = []
    isToBeTold = false
    isEarlier = true
    program = ProcessProbe.executable(pid: pid)
    (began, lastTime, lastMaps) = (time, time, time)
    stops = PreloadStops(began: time)
    pidfd = lull_pidfd_open(pid)
    self.earlier = Dictionary(uniqueKeysWithValues: earlier.map { ($0.thread.tid, $0) })
    for mapping in ProcessMaps.executable(pid: pid) { mapped[mapping.start] = mapping.inode }
  }

  init(_ segment: PreloadSegment) {
    isEarlier = false
    pid = segment.pid
    parent = segment.parent
    segments = [segment]
    isToBeTold = segment.isProgram
    began = segment.began
    stops = PreloadStops(began: segment.began)
    lastTime = segment.began
    lastMaps = segment.began
    pidfd = lull_pidfd_open(segment.pid)
  }

  deinit { if pidfd >= 0 { close(pidfd) } }

  /// Whether it is over: its end need not have been asked for.
  var isOver: Bool {
    if pidfd >= 0 {
      var entry = pollfd(fd: pidfd, events: Int16(POLLIN), revents: 0)
      return lull_poll(&entry, 1, 0) > 0
    }
    return kill(pid, 0) < 0 && errno == ESRCH
  }

  /// Its rings with their numbers.
  var rings: [(number: Int, ring: PreloadRing)] {
    segments.enumerated().flatMap { place, segment in
      (0..<PreloadSegment.slots).map { (place * PreloadSegment.slots + $0, segment.ring($0)) }
    }
  }

  /// Says whether a stack that was written need not be written again.
  func share(_ place: PreloadStacks.Place, _ isShared: Bool) {
    let ring = segments[place.slot / PreloadSegment.slots].ring(place.slot % PreloadSegment.slots)
    lull_slot_share(ring.slot, place.number, isShared ? 1 : 0)
  }

  /// Has all stacks written again.
  func forgetStacks() {
    for place in stacks.places { share(place, false) }
    stacks = PreloadStacks()
  }

  /// Records that found no room since this was asked for.
  func newLosses() -> UInt64 {
    let lost = rings.reduce(0) { $0 + $1.ring.lost }
    defer { lostBefore = lost }
    return lost - lostBefore
  }

  /// When the program was first asked to end, once.
  func newlyAsked() -> (time: UInt64, signal: UInt32)? {
    guard !wasAsked, let asked = segments.first?.asked else { return nil }
    wasAsked = true
    return asked
  }

  /// Takes in where the thread of a slot waits. One that it looked at before may go on around it.
  func note(_ look: PreloadLook, slot: Int) {
    if let before = looks[slot], before.start != look.start {
      let isGoingOn = before.start >= threads[slot]?.covered ?? .max
      outerLooks[slot] = isGoingOn ? before : nil
    }
    looks[slot] = look
  }

  var heldBytes: UInt64 { segments.reduce(0) { $0 + $1.heldBytes } }
}

/// The stack of a call that takes long, taken while it lasts: what is recorded of others comes with their ends.
struct PreloadLook {
  let start: UInt64
  /// Which call it is.
  let number: UInt32
  let stack: PreloadStacks.Stack?

  /// From when on a call is looked at.
  static let patience: UInt64 = 100_000_000

  /// What the process told itself.
  init(_ call: lull_open_call, stack: PreloadStacks.Stack) {
    (start, number, self.stack) = (call.start, call.number, stack)
  }

  /// Reads the memory of the process, which may be forbidden; nil where the call is over already.
  init?(_ ring: PreloadRing, of pid: Int32, since start: UInt64, stackBytes: Int) {
    var registers = [UInt64](repeating: 0, count: Int(lull_registers))
    var stack = [UInt8](repeating: 0, count: stackBytes)
    guard lull_slot_registers(ring.slot, start, &registers) != 0 else { return nil }
    let count = lull_read_memory(
      pid, registers[PreloadSource.stackPointer], &stack, UInt64(stackBytes))
    let call = ring.openCall
    guard call.start == start else { return nil }
    (self.start, number) = (start, call.number)
    self.stack = count > 0 ? .init(registers, Array(stack.prefix(count))) : nil
  }
}
