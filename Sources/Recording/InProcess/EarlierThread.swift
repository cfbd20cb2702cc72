import CPreloadRing
import PerfData

/// A thread that ran before its program was asked to be recorded: what /proc told of it then.
struct EarlierThread {
  var thread: PreloadThread
  /// What it waited in, where it did, and from where.
  let wait: OutsideCall?
  private let kind: lull_descriptor_kind
  /// It waits for SIGCONT, whatever call it is in.
  private let isStopped: Bool
  let reading: OutsideReading
  let switches: UInt64
  let files: OutsideFiles

  /// Nil where it has ended.
  init?(pid: Int32, tid: Int32) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1024, alignment: 16)
    defer { buffer.deallocate() }
    guard let files = OutsideFiles(pid: pid, tid: tid), let before = files.reading(buffer),
      let state = files.state(buffer), let reading = files.reading(buffer)
    else { return nil }
    var wait: OutsideCall?
    // It may have gone on between the readings.
    if case .waiting(let call) = state, before.arrivals == reading.arrivals { wait = call }
    self.wait = wait
    isStopped = wait != nil && files.isStopped
    self.files = files
    self.reading = reading
    switches = files.voluntarySwitches ?? 0
    var descriptors = OutsideDescriptors(pid: pid)
    let isDescriptor =
      wait?.number.map { OutsideMeaning.ofDescriptors.contains($0) } ?? false
    kind =
      isDescriptor
      ? descriptors.kind(of: wait?.first ?? 0, now: reading.time) : lull_descriptor_unknown
    thread = PreloadThread(
      tid: tid, began: reading.time, processor: reading.processor,
      waits: Self.waitsBefore(switches, wait))
  }

  /// How often it had gone to sleep before the wait that it is in: that one is told when it ends.
  private static func waitsBefore(_ switches: UInt64, _ wait: OutsideCall?) -> UInt64 {
    wait == nil ? switches : switches - min(switches, 1)
  }

  /// The same, recorded from a moment on.
  func began(at time: UInt64) -> EarlierThread {
    var copy = self
    copy.thread = PreloadThread(
      tid: thread.tid, began: time, processor: reading.processor,
      waits: Self.waitsBefore(switches, wait))
    return copy
  }

  /// What became of it, without a word of its own.
  enum Course {
    /// It waited all the time.
    case waited(CallMeaning?)
    case ran(PreloadUse)
    case ended
  }

  var course: Course {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1024, alignment: 16)
    defer { buffer.deallocate() }
    guard let now = files.reading(buffer) else { return .ended }
    if let wait, now.arrivals == reading.arrivals {
      return .waited(isStopped ? .stop : OutsideMeaning.meaning(of: wait, kind))
    }
    return .ran(PreloadUse(processor: now.processor, waits: files.voluntarySwitches ?? switches))
  }

  /// The kernel's function of its wait; nil where nothing tells what that is for.
  func function(hasStack: Bool) -> String? {
    guard let wait else { return nil }
    if isStopped { return CallMeaning.stop.function }
    let isKnown = OutsideMeaning.meaning(of: wait, kind) != nil
    return OutsideMeaning.function(
      of: wait, kind, hasStack: hasStack, waitsIn: isKnown ? nil : files.function)
  }

  /// The stack from which it waits, where its memory may be read.
  func stack(of pid: Int32, bytes: UInt32) -> PreloadStacks.Stack? {
    guard let wait, wait.stackPointer > 0 else { return nil }
    var stack = [UInt8](repeating: 0, count: Int(bytes))
    let count = lull_read_memory(pid, wait.stackPointer, &stack, UInt64(stack.count))
    guard count > 0 else { return nil }
    var registers = [UInt64](repeating: 0, count: Int(lull_registers))
    registers[PreloadSource.stackPointer] = wait.stackPointer
    registers[PreloadSource.instruction] = wait.instruction
    return .init(registers, Array(stack.prefix(count)))
  }
}

extension PreloadSource {
  private static let nudgeInterval: UInt64 = 20_000_000

  /// What computes and makes no call is sent a signal, since it would not find that it is asked.
  ///
  /// Only a thread that runs its own code, where no call can be ended by it.
  func nudge(now: UInt64) {
    guard let door, !door.isAnswered, now >= lastNudge + Self.nudgeInterval else { return }
    lastNudge = now
    let running = known[root]?.earlier.keys.first {
      KernelFile.text("/proc/\(root)/task/\($0)/syscall")?.hasPrefix("running") == true
    }
    if let running { door.nudge(running) }
  }

  /// Threads that ran as the recording began: one that goes on with that may have nothing else to tell.
  func tellRunning(_ round: Round) throws(PerfDataError) {
    guard !hasToldRunning else { return }
    hasToldRunning = true
    for process in known.values {
      for earlier in process.earlier.values where earlier.wait == nil {
        let thread = earlier.thread
        let place = PreloadWriter.Place(pid: process.pid, tid: thread.tid, time: thread.covered)
        try round.sink.append(writer.switch(.arrived, place))
      }
    }
  }

  /// Threads that made no call in all the recording, or so far where a part of it ends.
  func finishEarlier(
    of process: PreloadProcess, at time: UInt64, goesOn: Bool = false,
    into output: inout RecordBytes
  ) {
    for (tid, earlier) in process.earlier {
      defer { if !goesOn { runDelays.forget(tid) } }
      let thread = earlier.thread
      switch earlier.course {
      case .waited(let meaning):
        let stack = earlier.stack(of: process.pid, bytes: stackBytes)
        tellWait(
          .init(from: thread.covered, to: time), of: meaning, PreloadParts(stack: stack),
          process, tid, goOn: goesOn, into: &output)
        if goesOn { process.earlier[tid] = earlier.began(at: time) }
      // Told when all is over.
      case .ran where goesOn: break
      case .ended where goesOn: break
      case .ran(let use): tell(thread.read(use, at: time), process, tid, into: &output)
      case .ended:
        output.append(
          writer.exit(.init(pid: process.pid, tid: tid, time: time), parent: process.pid))
      }
    }
    if !goesOn { process.earlier = [:] }
  }
}
