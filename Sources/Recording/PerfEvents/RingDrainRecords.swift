import PerfData

/// What the drain reads of records that are no samples.
extension RingDrain {
  /// Looks at one record; false drops it.
  @inline(__always)
  func inspect(_ ring: PerfRing, _ at: UInt64, _ header: UInt64) -> Bool {
    let type = UInt32(truncatingIfNeeded: header)
    if type == RecordType.sample { return inspectSample(ring, at) }
    let size = header >> 48
    if !events.standIns.isEmpty, size >= 8 + trailer.size { rename(ring, at, size - trailer.id) }
    if governor.hearsAll, !isOwn(ring, at, type, size) { return false }
    switch type {
    case RecordType.contextSwitch, RecordType.contextSwitchCPUWide:
      governor.noteSwitch()
      // PERF_RECORD_MISC_SWITCH_OUT, without PERF_RECORD_MISC_SWITCH_OUT_PREEMPT.
      if header & 3 << 45 == 1 << 45, ring.signed(at + size - trailer.pid) == waits?.pid {
        waits?.count += 1
      }
      if standingWaits != nil, header & 1 << 45 == 0 {
        let end = at + size
        standingWaits?.arrived(
          ring.signed(end - trailer.tid), at: ring.word(end - trailer.time))
      }
    case RecordType.lost:
      lostRecords += ring.word(at + 16)
    case RecordType.lostSamples:
      lostRecords += ring.word(at + 8)
    case RecordType.fork:
      let (pid, parent) = (ring.signed(at + 8), ring.signed(at + 12))
      if pid == parent {
        governor.turnover.begun += 1
      } else if tellsProcesses {
        observations.append(
          .processBegan(pid: pid, parentPid: parent, time: ring.word(at + 24)))
      }
    case RecordType.exit:
      let (pid, tid) = (ring.signed(at + 8), ring.signed(at + 16))
      threads.end(tid)
      standingWaits?.ended(tid)
      governor.turnover.ended += 1
      let time = ring.word(at + 24)
      if headless.ended(pid, tid: tid, at: time), tellsProcesses {
        observations.append(.processEnded(pid: pid, time: time))
      }
    case RecordType.comm where header & 1 << 45 != 0:
      threads.begin(ring.signed(at + 8))
      headless.executed(ring.signed(at + 8))
      let bytes = ring.bytes(from: at + 16, to: at + size - trailer.size)
      observations.append(
        .processExecuted(
          pid: ring.signed(at + 8), name: Self.text(bytes),
          time: ring.word(at + size - trailer.time)))
    case RecordType.mmap2: noteMapping(ring, at, size, isMarked: header & 1 << 46 != 0)
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
    if id != lastRename.from {
      guard id &- lowestID >= UInt64(indexOfID.count), let known = events.standIns[id] else {
        return false
      }
      lastRename = (id, known)
    }
    renamed = (Int(place), lastRename.to)
    return true
  }

  /// Appends the record with that id, or the mapping with its build id; what the kernel has written may not be changed.
  func appendAmended(
    _ ring: PerfRing, from start: UInt64, to end: UInt64, to sink: TraceSink
  ) throws(PerfDataError) {
    var record = ring.bytes(from: start, to: end)
    if let (place, id) = renamed {
      for index in 0..<8 { record[place + index] = UInt8(truncatingIfNeeded: id >> (8 * index)) }
    }
    if let buildID {
      // PERF_RECORD_MISC_MMAP_BUILD_ID.
      if buildID.isEmpty { record[5] &= ~(1 << 6) } else { record[5] |= 1 << 6 }
    }
    if let buildID, !buildID.isEmpty {
      // Its size and, behind three bytes, itself take the place of the inode.
      let identity = [UInt8(buildID.count), 0, 0, 0] + buildID
      record.replaceSubrange(
        40..<64, with: identity + [UInt8](repeating: 0, count: 24 - identity.count))
    }
    (renamed, buildID) = (nil, nil)
    try sink.append(record, isOfRings: true)
  }

  private func noteMapping(_ ring: PerfRing, _ at: UInt64, _ size: UInt64, isMarked: Bool) {
    // Another's recorder may have had it marked as one with a build id: see MappedBuildIDs.
    if isMarked { buildID = [] }
    // The path is from 72 to the sample id, the inode at 48.
    guard size > 72 + trailer.size else { return }
    let path = Self.text(ring.bytes(from: at + 72, to: at + size - trailer.size))
    guard path.hasPrefix("/"), !path.hasPrefix("//") else { return }
    let (pid, inode) = (ring.signed(at + 8), ring.word(at + 48))
    if let found = mappedBuildIDs.of(
      path, pid: pid, start: ring.word(at + 16), length: ring.word(at + 24), inode: inode)
    {
      buildID = found
      buildIDs[path] = found
    }
    observations.append(
      .fileMapped(
        pid: pid, path: path, inode: buildID?.isEmpty == false ? nil : inode,
        time: ring.word(at + size - trailer.time)))
  }

  static func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }
}
