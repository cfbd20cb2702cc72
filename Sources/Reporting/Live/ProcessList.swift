import Quantities

/// What `lull top` shows of a process before one is chosen; what /proc tells at little cost.
package struct ProcessFigures: Sendable {
  package var pid: Int32
  package var name: String
  /// Of one core, since the last look; nil at the first.
  package var cpuShare: Double?
  /// Waits that came to an end, a second.
  package var wakeupsPerSecond: Double?
  /// To storage; nil where it may not be read.
  package var writtenPerSecond: Double?
  package var footprintBytes: UInt64
  package var threads: Int

  package init(
    pid: Int32, name: String, cpuShare: Double? = nil, wakeupsPerSecond: Double? = nil,
    writtenPerSecond: Double? = nil, footprintBytes: UInt64, threads: Int
  ) {
    self.pid = pid
    self.name = name
    self.cpuShare = cpuShare
    self.wakeupsPerSecond = wakeupsPerSecond
    self.writtenPerSecond = writtenPerSecond
    self.footprintBytes = footprintBytes
    self.threads = threads
  }
}

/// The list of Swift processes in `lull top`, no more lines and no wider than the terminal.
package enum ProcessList {
  private static let columns = [
    ("CPU", 9), ("wakeups/s", 11), ("to disk/s", 11), ("footprint", 11), ("threads", 8),
  ]

  package static func render(
    _ all: [ProcessFigures], selected: Int, width: Int, height: Int, color: Bool
  ) -> String {
    var canvas = TextCanvas(options: TextOptions(width: width, color: color))
    canvas.line((Figures.count(all.count, "Swift process", "Swift processes"), .heading))
    canvas.line((row("pid", "name", columns.map(\.0), width), .faint))
    let room = max(height - 4, 1)
    // The one that is chosen is always there.
    let first = max(0, min(selected - room + 1, all.count - room))
    for (index, process) in all.enumerated().dropFirst(first).prefix(room) {
      let text = row(String(process.pid), Escaped.text(process.name), figures(process), width)
      canvas.line(
        ((index == selected ? ">" : " ") + text.dropFirst(), index == selected ? .heading : .plain))
    }
    if all.isEmpty {
      canvas.paragraph(
        "none runs, as far as this user may look: start one, or give its id, its name or a command")
    }
    var lines = canvas.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      .map(String.init)
    while lines.count < height - 1 { lines.append("") }
    lines = Array(lines.prefix(max(height - 1, 1)))
    return (lines + [Columns.clip("up/down choose  enter look at it  q quit", to: width)]).joined(
      separator: "\r\n")
  }

  /// The same for logs: a line each, columns apart by tabs.
  package static func plain(_ all: [ProcessFigures]) -> String {
    let head = ["pid", "name", "cpu", "wakeups", "written", "footprint", "threads"]
    let rows = all.map { [String($0.pid), Escaped.text($0.name)] + figures($0) }
    return ([head] + rows).map { $0.joined(separator: "\t") + "\n" }.joined()
  }

  private static func figures(_ process: ProcessFigures) -> [String] {
    [
      process.cpuShare.map { Figures.percent($0) } ?? "-",
      process.wakeupsPerSecond.map { Figures.brief($0) } ?? "-",
      process.writtenPerSecond.map { Figures.bytes($0) } ?? "-",
      Figures.bytes(process.footprintBytes), Figures.grouped(process.threads),
    ]
  }

  private static func row(
    _ pid: String, _ name: String, _ figures: [String], _ width: Int
  ) -> String {
    let room = max(width - 11 - columns.reduce(0) { $0 + $1.1 }, 8)
    return Columns.rightAligned(pid, to: 9) + "  "
      + Columns.padded(Columns.clip(name, to: room - 1), to: room)
      + zip(figures, columns).map { Columns.rightAligned($0, to: $1.1) }.joined()
  }
}
