import Signals

/// Turns what went over the network and to the disk into the sections of a report.
enum TransferBuilding {
  static func network(_ signal: NetworkSignal) -> NetworkSection {
    NetworkSection(
      sends: signal.countsCalls ? signal.sends : nil,
      receives: signal.countsCalls ? signal.receives : nil, bytesSent: signal.bytesSent,
      bytesReceived: signal.bytesReceived, missing: signal.missing,
      peersNotKnown: signal.peerless.map {
        PeersNotKnownSection(
          sockets: $0.sockets, bytesSent: $0.bytesSent, bytesReceived: $0.bytesReceived)
      }, loopbackIncluded: signal.loopbackIncluded,
      connections: signal.connections.map { connection in
        ConnectionSection(
          protocol: connection.protocol, local: connection.local, remote: connection.remote,
          opened: connection.opened?.finite, closed: connection.closed?.finite,
          bytesSent: connection.bytesSent, bytesReceived: connection.bytesReceived)
      },
      bursts: signal.bursts.map { burst in
        BurstSection(
          start: burst.start.finite, durationSeconds: burst.durationSeconds.finite,
          bytesSent: burst.bytesSent, bytesReceived: burst.bytesReceived,
          class: burst.class.rawValue, remotes: burst.remotes,
          energyJoules: burst.energyJoules.finite,
          tailEnergyJoules: burst.tailEnergyJoules.finite,
          stack: burst.stack.map(SignalBuilding.frame))
      },
      radio: RadioSection(
        profile: signal.radio.profile,
        stateSeconds: signal.radio.stateSeconds.mapValues(\.finite),
        energyJoules: signal.radio.energyJoules.finite,
        tailEnergyJoules: signal.radio.tailEnergyJoules.finite,
        dutyCycle: signal.radio.dutyCycle.finite,
        secondsAfterEnd: signal.radio.secondsAfterEnd.finite,
        joulesAfterEnd: signal.radio.joulesAfterEnd.finite,
        alternatives: signal.alternatives.map {
          RadioAlternativeSection(
            profile: $0.profile, energyJoules: $0.energyJoules.finite,
            tailEnergyJoules: $0.tailEnergyJoules.finite, dutyCycle: $0.dutyCycle.finite)
        }), overheadSent: signal.overheadSent, overheadReceived: signal.overheadReceived,
      overheadHow: signal.overheadHow, captured: signal.captured.map(captured),
      replays: [
        signal.coalesced.map { replay("coalesced", $0) },
        signal.withoutPolls.map { replay("withoutPolls", $0) },
      ].compactMap(\.self),
      listeners: signal.listeners.map {
        ListenerSection(
          local: $0.local, opened: $0.opened?.finite, closed: $0.closed?.finite)
      },
      failures: signal.failures.map {
        NetworkFailureSection(
          time: $0.time.finite, remote: $0.remote, kind: $0.kind,
          count: $0.count == 1 ? nil : $0.count)
      })
  }

  private static func captured(_ traffic: CapturedTraffic) -> CapturedSection {
    CapturedSection(
      path: traffic.path, packets: traffic.packets, matchedPackets: traffic.matched,
      otherPackets: traffic.ofOthers, retransmissions: traffic.retransmissions,
      connections: traffic.connections,
      clockOffsetSeconds: traffic.clockOffsetSeconds?.finite, notes: traffic.notes)
  }

  private static func replay(_ id: String, _ saving: RadioReplaySaving) -> RadioReplaySection {
    RadioReplaySection(
      id: id, change: saving.change, bursts: saving.bursts,
      energyJoules: saving.energyJoules.finite, savedJoules: saving.savedJoules.finite,
      movedSends: saving.movedSends, delaySeconds: saving.delaySeconds.finite)
  }

  /// A compiler reads thousands of files.
  private static let mostFilesRead = 100

  /// The files that are listed, and what was read besides.
  private static func listed(_ signal: DiskSignal) -> (files: [FileUse], others: OtherReads?) {
    let readOnly = signal.files.filter { $0.writes + $0.syncs + $0.rewrites == 0 }
    guard readOnly.count > mostFilesRead else { return (signal.files, signal.otherReads) }
    let rest = readOnly.enumerated().sorted {
      ($1.element.bytesRead, $0.offset) < ($0.element.bytesRead, $1.offset)
    }.map(\.element).dropFirst(mostFilesRead)
    var others = signal.otherReads ?? OtherReads(files: 0, reads: 0, bytes: 0)
    others.files += rest.count
    others.reads += rest.reduce(0) { $0 + $1.reads }
    others.bytes &+= rest.reduce(0) { $0 &+ $1.bytesRead }
    let left = Set(rest.map(\.path))
    return (signal.files.filter { !left.contains($0.path) }, others)
  }

  static func disk(_ signal: DiskSignal) -> DiskSection {
    let listed = listed(signal)
    return DiskSection(
      writes: signal.writes, bytesWritten: signal.bytesWritten, smallWrites: signal.smallWrites,
      smallWriteStack: signal.smallWriteStack.map(SignalBuilding.frame), syncs: signal.syncs,
      syncSeconds: signal.syncSeconds.finite,
      syncsUntimed: signal.syncsUntimed > 0 ? signal.syncsUntimed : nil,
      writesPerMinute: signal.writesPerMinute.finite, writeBursts: signal.writeBursts,
      rewrittenBytes: signal.rewrittenBytes, deviceBytesWritten: signal.deviceBytesWritten,
      files: listed.files.map { file in
        FileSection(
          path: file.path, writes: file.writes, bytesWritten: file.bytesWritten,
          syncs: file.syncs, rewrites: file.rewrites, rewrittenBytes: file.rewrittenBytes,
          comparedRewrites: file.comparedRewrites > 0 ? file.comparedRewrites : nil,
          equalRewrites: file.comparedRewrites > 0 ? file.equalRewrites : nil,
          comparedBytes: file.comparedRewrites > 0 ? file.comparedBytes : nil,
          changedBytes: file.comparedRewrites > 0 ? file.changedBytes : nil,
          reads: signal.readsMeasured ? file.reads : nil,
          bytesRead: signal.readsMeasured ? file.bytesRead : nil)
      }, smallReadsMeasured: signal.smallReadsMeasured ? true : nil, reads: signal.reads,
      bytesRead: signal.bytesRead, readsAreLeast: signal.readsAreLeast ? true : nil,
      writesAreSampled: signal.sampledBytes == nil ? nil : true, missing: signal.missing,
      otherReads: listed.others.map {
        OtherReadsSection(files: $0.files, reads: $0.reads, bytes: $0.bytes)
      })
  }
}
