import Quantities
import TraceModel

/// Lanes of events: wakeups, the radio and its bytes, writes and syncs, and the footprint.
enum EventLanes {
  /// More points than a wide screen has pixels show nothing.
  static let mostPoints = 3000

  /// Wakeups by cause; the last channels count those made by an interrupt, and of these those that found their CPU
  /// idle, whatever their cause.
  static func wakeups(_ canvas: TimelineCanvas) -> TimelineLane {
    let causes = WakeupCause.allCases
    let wakeups = WakeupMeasure(canvas.subject).wakeups.sorted { $0.wakeup.time < $1.wakeup.time }
    return canvas.lane(
      .wakeups, channels: causes.map(\.rawValue) + ["idle", "leftIdle"],
      budget: Timeline.otherBudget
    ) { grid in
      for entry in wakeups {
        let time = canvas.time(entry.wakeup.time)
        grid.add(1, at: time, channel: causes.firstIndex(of: entry.cause) ?? causes.count - 1)
        if entry.wakeup.isIdleWakeup { grid.add(1, at: time, channel: causes.count) }
        if entry.wakeup.foundCPUIdle { grid.add(1, at: time, channel: causes.count + 1) }
      }
    }
  }

  /// The modelled radio's states, and the bytes that moved it.
  static func radio(
    _ packets: [NetworkTransfer], _ profile: RadioProfile, _ canvas: TimelineCanvas
  ) -> [TimelineLane] {
    let subject = canvas.subject
    let transfers = packets.map {
      RadioTransfer(
        time: $0.time, bytesUp: $0.bytesUp &+ $0.overheadUp,
        bytesDown: $0.bytesDown &+ $0.overheadDown)
    }
    let replay = RadioModel.replay(
      transfers: transfers, from: subject.time(subject.start), to: subject.time(subject.end),
      profile: profile)
    let states = ["idle", "promotion", "transfer"] + profile.tail.map(\.name)
    func microseconds(_ seconds: Double) -> UInt64 { UInt64(saturating: (seconds * 1e6).rounded()) }
    return [
      canvas.lane(.radio, channels: states, budget: Timeline.otherBudget) { grid in
        for segment in replay.segments {
          grid.add(
            from: microseconds(segment.start), to: microseconds(segment.end),
            channel: states.firstIndex(of: segment.state) ?? 0)
        }
      },
      canvas.lane(
        .network, channels: ["sent", "received", "nanojoules"], budget: Timeline.otherBudget
      ) { grid in
        var added = added(by: transfers, profile)[...]
        for packet in packets {
          let time = microseconds(packet.time)
          grid.add(packet.bytesUp, at: time, channel: 0)
          grid.add(packet.bytesDown, at: time, channel: 1)
          if let first = added.first, first.time <= packet.time {
            grid.add(UInt64(saturating: (first.joules * 1e9).rounded()), at: time, channel: 2)
            added.removeFirst()
          }
        }
      },
    ]
  }

  /// Bytes that stayed on the machine.
  static func loopback(_ packets: [NetworkTransfer], _ canvas: TimelineCanvas) -> TimelineLane {
    canvas.lane(
      .network, channels: ["sent", "received"], budget: Timeline.otherBudget, name: "loopback"
    ) { grid in
      for packet in packets {
        let time = UInt64(saturating: (packet.time * 1e6).rounded())
        grid.add(packet.bytesUp, at: time, channel: 0)
        grid.add(packet.bytesDown, at: time, channel: 1)
      }
    }
  }

  /// What the bytes add to the power of the radio's states, at each transfer or each second's first.
  private static func added(
    by transfers: [RadioTransfer], _ profile: RadioProfile
  ) -> [(time: Double, joules: Double)] {
    guard profile.hasRates else {
      return transfers.map { transfer in
        let joules =
          (Double(transfer.bytesUp) * profile.uplinkMilliwattsPerMbps
            + Double(transfer.bytesDown) * profile.downlinkMilliwattsPerMbps) * 8e-6 / 1000
        return (transfer.time, joules)
      }
    }
    var seconds: [(time: Double, up: UInt64, down: UInt64)] = []
    for transfer in transfers where transfer.bytesUp > 0 || transfer.bytesDown > 0 {
      if seconds.last.map({ transfer.time >= $0.time + RadioModel.rateWindowSeconds }) ?? true {
        seconds.append((transfer.time, 0, 0))
      }
      seconds[seconds.count - 1].up &+= transfer.bytesUp
      seconds[seconds.count - 1].down &+= transfer.bytesDown
    }
    return seconds.map {
      let watts = profile.wattsAdded(bytesUp: $0.up, bytesDown: $0.down)
      return ($0.time, watts * RadioModel.rateWindowSeconds)
    }
  }

  static func prices(_ profile: RadioProfile) -> RadioPrices {
    var watts: [String: Double] = [:]
    for state in profile.tail { watts[state.name] = state.power.meanMilliwatts / 1000 }
    watts["transfer"] = (profile.tail.first?.power.meanMilliwatts ?? 0) / 1000
    watts["promotion"] = (profile.promotion?.milliwatts ?? 0) / 1000
    return RadioPrices(watts: watts)
  }

  static func disk(_ canvas: TimelineCanvas) -> TimelineLane {
    let subject = canvas.subject
    let operations = Array(subject.trace.fileOperations.onDisk(by: subject.pid))
    let areTimed = operations.allSatisfy { $0.kind != .sync || $0.duration != nil }
    return canvas.lane(
      .disk,
      channels: ["bytes", "writes", "syncs", "syncNanoseconds", "operations", "randomBlocks"]
        + (areTimed ? [] : ["syncsUntimed"]),
      budget: Timeline.otherBudget
    ) { grid in
      var meter = DiskWorkMeter()
      for operation in operations {
        let time = canvas.time(operation.time)
        let work = meter.work(of: operation)
        grid.add(UInt64(work.operations), at: time, channel: 4)
        grid.add(UInt64(work.randomBlocks), at: time, channel: 5)
        switch operation.kind {
        case .write:
          grid.add(operation.bytes &* operation.weight, at: time, channel: 0)
          grid.add(operation.weight, at: time, channel: 1)
        case .sync:
          grid.add(operation.weight, at: time, channel: 2)
          if let duration = operation.duration {
            // Whole nanoseconds: of microseconds the parts cut off add up over many syncs.
            let stall = UInt64(saturating: (duration.seconds * 1e9).rounded())
            grid.add(stall &* operation.weight, at: time, channel: 3)
          } else {
            grid.add(operation.weight, at: time, channel: 6)
          }
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
