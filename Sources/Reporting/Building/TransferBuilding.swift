import Signals

/// Turns what went over the network and to the disk into the sections of a report.
enum TransferBuilding {
  static func network(_ signal: NetworkSignal) -> NetworkSection {
    NetworkSection(
      sends: signal.sends, receives: signal.receives, bytesSent: signal.bytesSent,
      bytesReceived: signal.bytesReceived, loopbackIncluded: signal.loopbackIncluded,
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
        alternatives: signal.alternatives.map {
          RadioAlternativeSection(
            profile: $0.profile, energyJoules: $0.energyJoules.finite,
            tailEnergyJoules: $0.tailEnergyJoules.finite, dutyCycle: $0.dutyCycle.finite)
        }), overheadSent: signal.overheadSent, overheadReceived: signal.overheadReceived,
      overheadHow: signal.overheadHow,
      listeners: signal.listeners.map {
        ListenerSection(
          local: $0.local, opened: $0.opened?.finite, closed: $0.closed?.finite)
      },
      failures: signal.failures.map {
        NetworkFailureSection(time: $0.time.finite, remote: $0.remote, kind: $0.kind)
      })
  }

  static func disk(_ signal: DiskSignal) -> DiskSection {
    DiskSection(
      writes: signal.writes, bytesWritten: signal.bytesWritten, smallWrites: signal.smallWrites,
      smallWriteStack: signal.smallWriteStack.map(SignalBuilding.frame), syncs: signal.syncs,
      syncSeconds: signal.syncSeconds.finite,
      writesPerMinute: signal.writesPerMinute.finite, writeBursts: signal.writeBursts,
      rewrittenBytes: signal.rewrittenBytes, deviceBytesWritten: signal.deviceBytesWritten,
      files: signal.files.filter { $0.writes + $0.syncs + $0.rewrites > 0 }.map { file in
        FileSection(
          path: file.path, writes: file.writes, bytesWritten: file.bytesWritten,
          syncs: file.syncs, rewrites: file.rewrites, rewrittenBytes: file.rewrittenBytes)
      })
  }
}
