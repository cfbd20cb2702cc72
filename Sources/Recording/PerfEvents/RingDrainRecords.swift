import PerfData

/// What the drain reads of records that are no samples.
extension RingDrain {
  /// Looks at one record; false drops it.
  @inline(__always)
  func inspect(_ ring: PerfRing, _ at: UInt64, _ header: UInt64) -> Bool {
    let type = UInt32(truncatingIfNeeded: header)
    if type == RecordType.sample { return inspectSample(ring, at) }
    let size = header >> 48
    if governor.hearsAll, !isOwn(ring, at, type, size) { return false }
    switch type {
    case RecordType.contextSwitch, RecordType.contextSwitchCPUWide:
      governor.noteSwitch()
      // PERF_RECORD_MISC_SWITCH_OUT.
      if standingWaits != nil, header & 1 << 45 == 0 {
        let end = at + size
        standingWaits?.arrived(
          ring.signed(end - trailer.tid), at: ring.word(end - trailer.time))
      }
    case RecordType.lost:
      lostRecords += ring.word(at + 16)
      rename(ring, at, size - trailer.id)
    case RecordType.lostSamples:
      lostRecords += ring.word(at + 8)
      rename(ring, at, size - trailer.id)
    case RecordType.fork:
      let (pid, parent) = (ring.signed(at + 8), ring.signed(at + 12))
      if pid == parent {
        governor.turnover.begun += 1
      } else {
        observations.append(
          .processBegan(pid: pid, parentPid: parent, time: ring.word(at + 24)))
      }
    case RecordType.exit:
      let (pid, tid) = (ring.signed(at + 8), ring.signed(at + 16))
      threads.end(tid)
      standingWaits?.ended(tid)
      governor.turnover.ended += 1
      let time = ring.word(at + 24)
      if headless.ended(pid, tid: tid, at: time) {
        observations.append(.processEnded(pid: pid, time: time))
      }
    case RecordType.comm where header & 1 << 45 != 0:
      threads.begin(ring.signed(at + 8))
      let bytes = ring.bytes(from: at + 16, to: at + size - trailer.size)
      observations.append(
        .processExecuted(
          pid: ring.signed(at + 8), name: Self.text(bytes),
          time: ring.word(at + size - trailer.time)))
    case RecordType.mmap2: noteMapping(ring, at, size, hasBuildID: header & 1 << 46 != 0)
    default: break
    }
    return true
  }

  /// Whether a record that is no sample is one of the target's, and of the event that is to tell it.
  private func isOwn(_ ring: PerfRing, _ at: UInt64, _ type: UInt32, _ size: UInt64) -> Bool {
    switch type {
    case RecordType.fork, RecordType.exit, RecordType.comm, RecordType.mmap2,
      RecordType.contextSwitch, RecordType.contextSwitchCPUWide:
      break
    default: return true
    }
    guard size >= 8 + trailer.size else { return false }
    let end = at + size
    guard
      governor.keeps(source(ring.word(end - trailer.id)).phase, time: ring.word(end - trailer.time))
    else {
      return false
    }
    // A thread's beginning counts by the thread, all else by who it is told of.
    let tid = type == RecordType.fork ? ring.signed(at + 16) : ring.signed(end - trailer.tid)
    return threads.contains(tid)
  }

  @inline(__always)
  func source(_ id: UInt64) -> DrainSource {
    let offset = id &- lowestID
    return sources[offset < UInt64(indexOfID.count) ? Int(indexOfID[Int(offset)]) : 0]
  }

  /// Notes by what id the trace knows the event of a record, if that was opened later; true where it was.
  @inline(__always)
  @discardableResult
  func rename(_ ring: PerfRing, _ at: UInt64, _ place: UInt64) -> Bool {
    let id = ring.word(at + place)
    guard id &- lowestID >= UInt64(indexOfID.count), let known = events.standIns[id] else {
      return false
    }
    renamed = (Int(place), known)
    return true
  }

  /// Appends the record with that id; what the kernel has written may not be changed.
  func appendRenamed(
    _ ring: PerfRing, from start: UInt64, to end: UInt64, to sink: TraceSink
  ) throws(PerfDataError) {
    guard let (place, id) = renamed else { return }
    renamed = nil
    var record = ring.bytes(from: start, to: end)
    for index in 0..<8 { record[place + index] = UInt8(truncatingIfNeeded: id >> (8 * index)) }
    try sink.append(record)
  }

  private func noteMapping(_ ring: PerfRing, _ at: UInt64, _ size: UInt64, hasBuildID: Bool) {
    // The path is from 72 to the sample id; size and bytes of the build id, which not all files have, at 40 and 44.
    guard size > 72 + trailer.size else { return }
    let path = Self.text(ring.bytes(from: at + 72, to: at + size - trailer.size))
    guard path.hasPrefix("/"), !path.hasPrefix("//") else { return }
    if hasBuildID {
      let length = Int(min(20, ring.half(at + 40) & 0xff))
      buildIDs[path] = ring.bytes(from: at + 44, to: at + 44 + UInt64(length))
    }
    observations.append(
      .fileMapped(
        pid: ring.signed(at + 8), path: path, time: ring.word(at + size - trailer.time)))
  }

  static func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }
}
