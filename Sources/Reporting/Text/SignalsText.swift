import Quantities
import Signals

/// The signals after the main thread's: wakeups, network, disk, memory, then CPU and energy.
enum SignalsText {
  private static let rowsShown = 3

  static func write(_ report: Report, to canvas: inout TextCanvas) {
    canvas.heading("Wakeups")
    if let wakeups = report.signals.wakeups {
      write(wakeups, &canvas)
    } else {
      notMeasured("wakeups", report, &canvas)
    }
    canvas.heading("Network")
    if let network = report.signals.network {
      write(network, &canvas)
    } else {
      notMeasured("network", report, &canvas)
    }
    canvas.heading("Disk")
    if let disk = report.signals.disk {
      write(disk, seconds: report.livedSeconds, &canvas)
    } else {
      notMeasured("disk", report, &canvas)
    }
    canvas.heading("Memory")
    if let memory = report.signals.memory {
      write(memory, &canvas)
    } else {
      notMeasured("memory", report, &canvas)
    }
    canvas.heading("CPU and energy")
    writeProcessor(report, &canvas)
    writeWorstMinutes(report.signals.worstMinutes, &canvas)
    IntervalsText.write(report, to: &canvas)
  }

  private static func writeWorstMinutes(_ minutes: [WorstMinute], _ canvas: inout TextCanvas) {
    guard !minutes.isEmpty else { return }
    canvas.heading("Worst minutes")
    for minute in minutes {
      let amount =
        switch minute.unit {
        case "s": Figures.seconds(minute.value)
        case "B": Figures.bytes(UInt64(max(minute.value, 0)))
        default: Figures.grouped(Int(minute.value))
        }
      canvas.item(
        TextReport.words(minute.signal),
        "\(amount) of \(minute.what): "
          + (minute.start >= 1 ? "--from \(Int(minute.start))s " : "")
          + "--to \(Int(minute.start) + 60)s")
    }
  }

  static func notMeasured(_ signal: String, _ report: Report, _ canvas: inout TextCanvas) {
    let reason =
      report.capture.unavailable.first { $0.signal == signal }?.reason
      ?? unread(signal, report) ?? "the trace does not hold it"
    canvas.item("", "not measured: \(Escaped.text(reason))", style: .middling)
  }

  /// Memory is read at intervals, within which a short program ends.
  private static func unread(_ signal: String, _ report: Report) -> String? {
    guard signal == "memory", let interval = report.capture.intervalSeconds,
      interval > 0, report.livedSeconds < interval * 2
    else { return nil }
    return "the process ended before it was read, or long after, which is every "
      + "\(Figures.seconds(interval)) (--interval)"
  }

  /// Fewer wakeups of unknown cause, as a share of a timer's, leave its count as it is.
  private static let leastUnknown = 0.05

  private static func write(_ wakeups: WakeupSection, _ canvas: inout TextCanvas) {
    canvas.item(
      "all",
      (wakeups.isLeast == true ? "at least " : "")
        + "\(Figures.grouped(wakeups.total)), \(Figures.brief(wakeups.perSecond)) a second")
    canvas.item(
      "idle",
      "\(Figures.grouped(wakeups.idle)), \(Figures.brief(wakeups.idlePerSecond)) a second, "
        + "made by interrupts"
        + (wakeups.foundCPUIdle.map { "; \(Figures.grouped($0)) found the CPU idle" } ?? ""))
    let causes = TextReport.causes(wakeups.byCause.mapValues(Double.init)) {
      Figures.grouped(Int($0))
    }
    if !causes.isEmpty { canvas.item("caused by", causes) }
    let unknown = wakeups.byCause["unknown"] ?? 0
    for timer in wakeups.timers.sorted(by: { $0.count > $1.count }).prefix(rowsShown) {
      var text =
        "every \(Figures.seconds(timer.periodSeconds)) on "
        + "\(Columns.clip(Escaped.text(timer.thread), to: 24)), "
        // Those of unknown cause may be its own as well.
        + (Double(unknown) > Self.leastUnknown * Double(timer.count) ? "at least " : "")
        + "\(Figures.count(timer.count, "time"))"
      if timer.expiredWithoutWork > 0 {
        text += ", \(Figures.grouped(timer.expiredWithoutWork)) without work"
      }
      if let frame = timer.stack.blamed { text += ": \(TextReport.place(frame))" }
      canvas.item("timer", text)
    }
  }

  private static func write(_ network: NetworkSection, _ canvas: inout TextCanvas) {
    if network.sends == 0, network.receives == 0, network.connections.isEmpty,
      network.missing == nil, network.captured == nil
    {
      return canvas.item("", "nothing was sent or received, and no connection was made")
    }
    let calls = { (count: Int?, name: String) in
      count.map { " in \(Figures.count($0, name))" } ?? ", in calls that were not counted"
    }
    let least = network.missing == nil ? "" : "at least "
    canvas.item("sent", least + Figures.bytes(network.bytesSent) + calls(network.sends, "send"))
    canvas.item(
      "received",
      least + Figures.bytes(network.bytesReceived) + calls(network.receives, "receive"))
    if let missing = network.missing {
      canvas.item("partly known", Escaped.text(missing), style: .middling)
    }
    if let peerless = network.peersNotKnown {
      canvas.item("peer unknown", peerless.text, style: .middling)
    }
    canvas.item(
      "counted",
      Figures.count(network.connections.count, "connection") + "; the radio's figures "
        + (network.loopbackIncluded ? "include" : "leave out") + " loopback traffic")
    if let sent = network.overheadSent, let received = network.overheadReceived,
      let how = network.overheadHow, sent + received > 0
    {
      canvas.item(
        "headers",
        "\(Figures.bytes(sent)) sent and \(Figures.bytes(received)) received (\(Escaped.text(how)))"
      )
    }
    if let captured = network.captured { write(captured, &canvas) }
    let radio = network.radio
    canvas.item(
      "radio",
      "\(Figures.joules(radio.energyJoules)), \(Figures.joules(radio.tailEnergyJoules)) of it in "
        + "tails; out of idle \(Figures.percent(radio.dutyCycle)) of the time "
        + "(modelled, \(Escaped.text(radio.profile)))")
    if let after = radio.joulesAfterEnd, let seconds = radio.secondsAfterEnd, after > 0 {
      canvas.item(
        "",
        "\(Figures.joules(after)) of it in the \(Figures.seconds(seconds)) after the recording, "
          + "until the radio is idle")
    }
    if !network.bursts.isEmpty {
      var classes: [String: Double] = [:]
      for burst in network.bursts { classes[burst.class, default: 0] += 1 }
      canvas.item(
        "bursts",
        "\(Figures.grouped(network.bursts.count)): "
          + TextReport.causes(classes) { Figures.grouped(Int($0)) })
    }
    let worst = network.bursts.sorted {
      ($1.energyJoules, $0.start) < ($0.energyJoules, $1.start)
    }
    for burst in worst.prefix(rowsShown) {
      let remotes = burst.remotes.prefix(2).map { Columns.clip(Escaped.text($0), to: 48) }
      let more = burst.remotes.count > 2 ? " and \(burst.remotes.count - 2) more" : ""
      let total = burst.bytesSent &+ burst.bytesReceived
      canvas.item(
        "",
        "\(Figures.joules(burst.energyJoules)) at \(Figures.fixed(burst.start, 3)) s, "
          + "\(Figures.bytes(total))"
          + (remotes.isEmpty ? "" : " with \(remotes.joined(separator: ", "))\(more)"))
    }
  }

  private static func write(_ captured: CapturedSection, _ canvas: inout TextCanvas) {
    var text =
      "\(Figures.grouped(captured.matchedPackets)) of "
      + "\(Figures.count(captured.packets, "packet")) in \(Escaped.text(captured.path)); "
      + Figures.count(captured.retransmissions, "retransmission")
    if let offset = captured.clockOffsetSeconds, abs(offset) >= 0.01 {
      text += "; its clock was \(Figures.seconds(abs(offset))) \(offset > 0 ? "ahead" : "behind")"
    }
    canvas.item("captured", text)
    for note in captured.notes { canvas.item("", Escaped.text(note)) }
  }

  private static func syncs(_ disk: DiskSection) -> String {
    guard disk.syncs > 0 else { return disk.missing == nil ? "none" : "none that is known" }
    let untimed = disk.syncsUntimed ?? 0
    let all = (disk.missing == nil ? "" : "at least ") + Figures.grouped(disk.syncs)
    if untimed >= disk.syncs { return "\(all); how long they took was not recorded" }
    let time = "taking \(Figures.seconds(disk.syncSeconds))"
    return untimed == 0
      ? "\(all), \(time)" : "\(all), \(Figures.grouped(disk.syncs - untimed)) of them \(time)"
  }

  /// Seconds of a recording from which on a rate a minute is more than a multiple of what was seen.
  private static let enoughForRate = 10.0

  private static func write(
    _ disk: DiskSection, seconds: Double, _ canvas: inout TextCanvas
  ) {
    let rate =
      seconds < enoughForRate ? "" : "\(Figures.brief(disk.writesPerMinute)) a minute "
    canvas.item(
      "written",
      disk.writes == 0
        ? disk.missing == nil ? "nothing" : "nothing that is known"
        : (disk.missing == nil ? "" : "at least ")
          + "\(volume(disk.bytesWritten, disk.writes, disk)), "
          + "\(Figures.grouped(disk.smallWrites)) of them under 4 KiB; \(rate)in "
          + Figures.count(disk.writeBursts, "burst"))
    if let missing = disk.missing {
      canvas.item("known in part", Escaped.text(missing), style: .middling)
    }
    canvas.item("syncs", syncs(disk))
    if disk.rewrittenBytes > 0 {
      canvas.item("rewritten", "\(Figures.bytes(disk.rewrittenBytes)) in files written again")
    }
    if let reads = disk.reads, let bytes = disk.bytesRead {
      let least = disk.readsAreLeast == true ? "at least " : ""
      canvas.item(
        "read",
        "\(least)\(Figures.bytes(bytes)) in \(Figures.count(reads, "read")), sockets left out")
    }
    canvas.item(
      "device", disk.deviceBytesWritten.map { Figures.bytes($0) + " reached it" } ?? "not measured")
    let files = disk.files.enumerated().sorted {
      ($1.element.bytesWritten, $1.element.bytesRead ?? 0, $0.offset)
        < ($0.element.bytesWritten, $0.element.bytesRead ?? 0, $1.offset)
    }.map(\.element)
    for file in files.prefix(rowsShown) {
      let path = Columns.clip(Escaped.text(file.path), to: 60)
      canvas.item("file", "\(path): \(uses(of: file, disk))")
    }
    if files.count > rowsShown {
      canvas.item("", "and " + Figures.count(files.count - rowsShown, "more file", "more files"))
    }
    if let others = disk.otherReads {
      let sum = "\(Figures.bytes(others.bytes)) read in \(Figures.count(others.reads, "read")) "
      if disk.smallReadsMeasured != true {
        canvas.item(
          "other files",
          sum + "of less than 64 KiB, of which is not told; "
            + "\(Figures.count(others.files, "file")) opened, pipes and terminals")
      } else {
        let files =
          others.files > 0
          ? Figures.count(others.files, "more file", "more files") + ", " : ""
        canvas.item(
          others.files > 0 ? "other files" : "other reads",
          sum + "of \(files)\(OtherReadsSection.noFiles)")
      }
    }
  }

  /// Bytes in so many writes: of writes that were sampled no count is exact.
  private static func volume(_ bytes: UInt64, _ writes: Int, _ disk: DiskSection) -> String {
    let about = disk.writesAreSampled == true ? "about " : ""
    return "\(about)\(Figures.bytes(bytes)) in \(about)\(Figures.count(writes, "write"))"
  }

  private static func uses(of file: FileSection, _ disk: DiskSection) -> String {
    var uses: [String] = []
    if file.writes > 0 || file.syncs == 0 && (file.reads ?? 0) == 0 {
      let about = disk.writesAreSampled == true ? "about " : ""
      uses.append(
        "\(about)\(Figures.bytes(file.bytesWritten)), "
          + "\(about)\(Figures.count(file.writes, "write"))")
    }
    if file.syncs > 0 { uses.append(Figures.count(file.syncs, "sync")) }
    if file.rewrites > 0 { uses.append(Figures.count(file.rewrites, "rewrite")) }
    if let reads = file.reads, let bytes = file.bytesRead, reads > 0 {
      // Of which file small reads were is seldom known where they were not recorded.
      let least = disk.smallReadsMeasured == true ? "" : "at least "
      uses.append("\(least)\(Figures.bytes(bytes)) read in \(Figures.count(reads, "read"))")
    }
    return uses.joined(separator: ", ")
  }

  private static func write(_ memory: MemorySection, _ canvas: inout TextCanvas) {
    let least = memory.leastPeakFootprintBytes.map {
      " (\(Figures.bytes($0)) as it was last read, the rest by the kernel's peak of all memory)"
    }
    let end = memory.unreadSecondsAtEnd.map {
      "as it was last read, \(Figures.seconds($0)) before its end"
    }
    canvas.item(
      "footprint",
      (memory.peakIsLeast == true ? "at least " : "")
        + "\(Figures.bytes(memory.peakFootprintBytes)) at its peak\(least ?? ""), "
        + "\(Figures.bytes(memory.endFootprintBytes)) \(end ?? "at the end")")
    canvas.item("resident", "\(Figures.bytes(memory.peakResidentBytes)) at its peak")
    if let growth = memory.growthBytesPerMinute {
      var text = "\(Figures.bytes(growth)) a minute"
      if let interval = memory.growthInterval, interval.count == 2 {
        text += " (95 % between \(Figures.bytes(interval[0])) and \(Figures.bytes(interval[1])))"
      }
      canvas.item("growth", text)
    } else {
      canvas.item("growth", "too few samples to tell")
    }
    canvas.item(
      "faults",
      "\(Figures.grouped(Int(clamping: memory.majorFaults))) major, "
        + "\(Figures.grouped(Int(clamping: memory.minorFaults))) minor")
  }

  private static func writeProcessor(_ report: Report, _ canvas: inout TextCanvas) {
    if let cpu = report.signals.cpu {
      var text = "\(Figures.seconds(cpu.totalSeconds))"
      // /proc counts both in hundredths of a second, which says nothing of less than half a second.
      if cpu.totalSeconds >= 0.5, let user = cpu.userSeconds, let system = cpu.systemSeconds {
        text += " (user \(Figures.seconds(user)), system \(Figures.seconds(system)))"
      }
      let seconds = report.livedSeconds
      // Of one second there is no median.
      text +=
        seconds < 2
        ? "; \(Figures.percent(cpu.totalSeconds / max(seconds, 1e-6))) of a core"
        : "; \(Figures.percent(cpu.medianShare)) of a core in the median second, "
          + "\(Figures.percent(cpu.p95Share)) in the 95th"
      canvas.item("CPU", text)
    } else {
      notMeasured("cpu", report, &canvas)
    }
    if let energy = report.signals.energy {
      let doubt = range(energy.low, energy.high, about: energy.totalJoules).map {
        "; \($0) by other models"
      }
      // What was not recorded is no zero.
      let parts: [(name: String, joules: Double?)] = [
        ("CPU", report.signals.cpu.map { _ in energy.cpuJoules }),
        ("wakeups", report.signals.wakeups.map { _ in energy.wakeupJoules }),
        ("radio", report.signals.network.map { _ in energy.radioJoules }),
        ("disk", report.signals.disk.map { _ in energy.diskJoules }),
      ]
      let told = parts.map { "\($0.name) \($0.joules.map(Figures.joules) ?? "not measured")" }
      canvas.item(
        "energy",
        "\(Figures.joules(energy.totalJoules)) (\(Escaped.text(energy.kind))\(doubt ?? "")): "
          + told.joined(separator: ", "))
      if let model = energy.model {
        let radio = model.radio.map { ", radio \(Escaped.text($0))" } ?? ""
        canvas.item(
          "by the prices of",
          "a \(Escaped.text(model.machine)) (\(Escaped.text(model.machineReason))), storage "
            + "\(Escaped.text(model.storage))\(radio)")
      }
      if let measured = energy.measuredJoules {
        let by = energy.measuredBy.map { " by \(Escaped.text($0))" } ?? ""
        let share = energy.measuredShareJoules.map {
          "; \(Figures.joules($0)) of it this process's, by "
            + Escaped.text(energy.measuredShareBy ?? "")
        }
        canvas.item(
          "measured", "\(Figures.joules(measured)) for the whole machine\(by)\(share ?? "")")
      }
    }
    for counter in report.signals.counters {
      let unit = counter.unit.map { " " + Escaped.text($0) } ?? ""
      canvas.item(
        "counter",
        "\(Columns.clip(Escaped.text(counter.name), to: 40)): "
          + number(counter.value) + Columns.clip(unit, to: 12))
    }
  }

  /// Bounds in words; nil where they say nothing more than the figure.
  static func range(_ low: Double?, _ high: Double?, about value: Double) -> String? {
    guard let low, let high, high > low, high > value || low < value else { return nil }
    return "\(Figures.joules(low)) to \(Figures.joules(high))"
  }

  private static func number(_ value: Double) -> String {
    if value == value.rounded(), value.magnitude < 9e15 { return Figures.grouped(Int(value)) }
    return Figures.brief(value)
  }
}
