import PerfData

/// What the drain reads of samples: whose they are, and what others want to know.
extension RingDrain {
  @inline(__always)
  func inspectSample(_ ring: PerfRing, _ at: UInt64) -> Bool {
    let start = at
    let isLater = rename(ring, at, places.id)
    let source = source(renamed?.id ?? ring.word(at + places.id))
    let at = at + source.shift
    switch source.owner {
    case nil: break
    case .threadField:
      guard threads.contains(named(ring.signed(at + places.raw + source.first))) else {
        return false
      }
    case .maker:
      guard threads.contains(ring.signed(at + places.tid)) else {
        if case .afterTakeover = source.phase, source.adaptive >= 0 {
          governor.noteForeign(source.adaptive, weight: source.weight)
        }
        return false
      }
    case .socket:
      guard
        sockets.keeps(
          socket: ring.split(at + places.raw + source.first),
          state: ring.signed(at + places.raw + source.second),
          port: ring.short(at + places.raw + source.third),
          commonFlags: UInt8(truncatingIfNeeded: ring.half(at + places.raw) >> 16),
          isTargetThread: threads.contains(ring.signed(at + places.tid)))
      else { return false }
    }
    let time = ring.word(at + places.time)
    guard isLater || governor.keeps(source.phase, time: time) else { return false }
    if source.adaptive >= 0 {
      let isSample = source.isSampled
      guard governor.keeps(source.adaptive, isSample: isSample, time: time) else { return false }
      governor.note(source.adaptive, isSample: isSample)
    }
    if time < firstTime { firstTime = time }
    if time > lastTime { lastTime = time }
    if source.hasCallchain { noteKernelAddresses(ring, at) }
    if source.tellsWaits, standingWaits != nil {
      standingWaits?.left(
        ring.signed(at + places.tid), at: time,
        ring.bytes(from: start, to: start + ring.word(start) >> 48))
    }
    switch source.payload {
    case .nothing, .newThread: break
    case .systemCall: noteSystemCall(ring, at, source, time)
    case .descriptor: noteDescriptor(ring, at, source, time)
    case .path: notePath(ring, at, source, time)
    }
    return true
  }

  private func noteKernelAddresses(_ ring: PerfRing, _ at: UInt64) {
    let count = min(ring.word(at + places.rest), 1024)
    var inKernel = false
    for index in 0..<count {
      let address = ring.word(at + places.rest + 8 + index * 8)
      // PERF_CONTEXT_KERNEL is -128, PERF_CONTEXT_USER -512; all markers are above -4096.
      if address >= UInt64(bitPattern: -4095) {
        inKernel = address == UInt64(bitPattern: -128)
      } else if inKernel {
        kernelAddresses.insert(address)
      }
    }
  }

  private func noteSystemCall(
    _ ring: PerfRing, _ at: UInt64, _ source: DrainSource, _ time: UInt64
  ) {
    let number = Int64(bitPattern: ring.split(at + places.raw + source.first))
    let result = Int64(bitPattern: ring.split(at + places.raw + source.second))
    governor.noteCall(
      source.weight, isWrite: SystemCallFilter.countedWrites.contains(number), time: time)
    // The registers follow the raw bytes: abi, then the values by ascending number.
    let registers = at + places.raw + UInt64(ring.half(at + places.rest))
    guard ring.word(registers) != 0 else { return }
    #if arch(arm64)
      // x0 is the result by then; the first argument is lost.
      let first = UInt64.max
      let second = ring.word(registers + 16)
      let third = ring.word(registers + 24)
    #else
      let third = ring.word(registers + 8)
      let second = ring.word(registers + 16)
      let first = ring.word(registers + 24)
    #endif
    guard SystemCallFilter.matters(number) else { return }
    observations.append(
      .systemCall(
        pid: ring.signed(at + places.pid), tid: ring.signed(at + places.tid), time: time,
        call: SystemCallResult(
          number: number, result: result, first: first, second: second, third: third)))
  }

  private func noteDescriptor(
    _ ring: PerfRing, _ at: UInt64, _ source: DrainSource, _ time: UInt64
  ) {
    let descriptor = UInt64(ring.half(at + places.raw + source.first))
    observations.append(
      .systemCall(
        pid: ring.signed(at + places.pid), tid: ring.signed(at + places.tid), time: time,
        call: SystemCallResult(
          number: Int64(SystemCallFilter.write), result: 0, first: descriptor, second: 0, third: 0))
    )
  }

  /// The field is a __data_loc: the text's offset in the payload and its length.
  private func notePath(_ ring: PerfRing, _ at: UInt64, _ source: DrainSource, _ time: UInt64) {
    let place = ring.half(at + places.raw + source.first)
    let start = UInt64(place & 0xffff)
    let end = start + UInt64(place >> 16)
    guard end <= UInt64(ring.half(at + places.rest)) else { return }
    let path = Self.text(ring.bytes(from: at + places.raw + start, to: at + places.raw + end))
    observations.append(.pathOpening(tid: ring.signed(at + places.tid), time: time, path: path))
  }
}
