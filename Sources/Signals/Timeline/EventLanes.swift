import TraceModel

/// Lanes of events: wakeups, the radio and its bytes, writes and syncs, and the footprint.
enum EventLanes {
  /// More points than a wide screen has pixels show nothing.
  static let mostPoints = 3000

  /// Wakeups by cause; the last channel counts those made by an interrupt, whatever their cause.
  static func wakeups(_ canvas: TimelineCanvas) -> TimelineLane {
    let causes = WakeupCause.allCases
    let wakeups = WakeupMeasure(canvas.subject).wakeups.sorted { $0.wakeup.time < $1.wakeup.time }
    return canvas.lane(
      .wakeups, channels: causes.map(\.rawValue) + ["idle"], budget: Timeline.otherBudget
    ) { grid in
      for entry in wakeups {
        let time = canvas.time(entry.wakeup.time)
        grid.add(1, at: time, channel: causes.firstIndex(of: entry.cause) ?? causes.count - 1)
        if entry.wakeup.isIdleWakeup { grid.add(1, at: time, channel: causes.count) }
      }
    }
  }

  /// The modelled radio's states, and the bytes that moved it.
  static func radio(
    _ packets: [NetworkTransfer], _ profile: RadioProfile, _ canvas: TimelineCanvas
  ) -> [TimelineLane] {
    let subject = canvas.subject
    let replay = RadioModel.replay(
      transfers: packets.map {
        RadioTransfer(time: $0.time, bytesUp: $0.bytesUp, bytesDown: $0.bytesDown)
      }, from: subject.time(subject.start), to: subject.time(subject.end), profile: profile)
    let states = ["idle", "promotion", "transfer"] + profile.tail.map(\.name)
    func microseconds(_ seconds: Double) -> UInt64 { UInt64(max(0, seconds * 1e6).rounded()) }
    return [
      canvas.lane(.radio, channels: states, budget: Timeline.otherBudget) { grid in
        for segment in replay.segments {
          grid.add(
            from: microseconds(segment.start), to: microseconds(segment.end),
            channel: states.firstIndex(of: segment.state) ?? 0)
        }
      },
      canvas.lane(.network, channels: ["sent", "received"], budget: Timeline.otherBudget) { grid in
        for packet in packets {
          grid.add(packet.bytesUp, at: microseconds(packet.time), channel: 0)
          grid.add(packet.bytesDown, at: microseconds(packet.time), channel: 1)
        }
      },
    ]
  }

  static func prices(_ profile: RadioProfile) -> RadioPrices {
    var watts: [String: Double] = [:]
    for state in profile.tail { watts[state.name] = state.power.meanMilliwatts / 1000 }
    watts["transfer"] = (profile.tail.first?.power.meanMilliwatts ?? 0) / 1000
    watts["promotion"] = (profile.promotion?.milliwatts ?? 0) / 1000
    // Milliwatts per Mbit/s are millijoules per Mbit.
    let perByte = 8e-6 / 1000
    return RadioPrices(
      watts: watts, joulesPerByteSent: profile.uplinkMilliwattsPerMbps * perByte,
      joulesPerByteReceived: profile.downlinkMilliwattsPerMbps * perByte)
  }

  static func disk(_ canvas: TimelineCanvas) -> TimelineLane {
    let subject = canvas.subject
    let operations = Array(subject.trace.fileOperations.onDisk(by: subject.pid))
    return canvas.lane(
      .disk, channels: ["bytes", "writes", "syncs", "syncMicroseconds"],
      budget: Timeline.otherBudget
    ) { grid in
      for operation in operations {
        let time = canvas.time(operation.time)
        switch operation.kind {
        case .write:
          grid.add(operation.bytes &* operation.weight, at: time, channel: 0)
          grid.add(operation.weight, at: time, channel: 1)
        case .sync:
          grid.add(operation.weight, at: time, channel: 2)
          let stall = UInt64(max(0, operation.duration.seconds) * 1e6)
          grid.add(stall &* operation.weight, at: time, channel: 3)
        default: break
        }
      }
    }
  }

  /// The highest sample of each stretch, so that no peak is lost.
  static func footprint(_ subject: SubjectView) -> [FootprintPoint] {
    let points = subject.trace.footprints.filter { $0.pid == subject.pid }.map {
      FootprintPoint(
        time: subject.time($0.time), footprintBytes: $0.sample.footprint,
        residentBytes: $0.sample.resident)
    }
    guard points.count > mostPoints else { return points }
    let step = (points.count + mostPoints - 1) / mostPoints
    return stride(from: 0, to: points.count, by: step).compactMap { start in
      points[start..<min(start + step, points.count)].max {
        $0.footprintBytes < $1.footprintBytes
      }
    }
  }
}
