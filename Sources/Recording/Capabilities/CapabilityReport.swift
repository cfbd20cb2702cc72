/// What can be recorded on this machine with our rights, found by trying.
package struct CapabilityReport: Codable, Sendable, Equatable {
  /// How well a signal can be recorded.
  package enum Status: String, Codable, Sendable, CaseIterable {
    /// All of it.
    case full
    /// A part of it, or at a lower quality.
    case degraded
    /// Not at all.
    case unavailable
  }

  /// One signal.
  package struct Entry: Codable, Sendable, Equatable {
    /// The signal's name.
    package var signal: String
    /// How well it can be recorded.
    package var status: Status
    /// What is recorded, or what is missing.
    package var detail: String
    /// Why something is missing.
    package var cause: String?
    /// The kernel's name for the error, such as `EACCES`.
    package var error: String?
    /// The smallest step that would help.
    package var fix: String?

    /// Makes an entry.
    package init(
      signal: String, status: Status, detail: String, cause: String? = nil,
      error: String? = nil, fix: String? = nil
    ) {
      self.signal = signal
      self.status = status
      self.detail = detail
      self.cause = cause
      self.error = error
      self.fix = fix
    }
  }

  /// Kernel release and machine.
  package var system: String
  /// With what rights we run, in words.
  package var privilege: String
  /// `kernel.perf_event_paranoid`, for information: what can be opened is found by opening.
  package var paranoidLevel: Int?
  /// Where tracefs was found.
  package var tracefs: String?
  /// The signals.
  package var entries: [Entry]

  /// Makes a report.
  package init(
    system: String, privilege: String, paranoidLevel: Int?, tracefs: String?, entries: [Entry]
  ) {
    self.system = system
    self.privilege = privilege
    self.paranoidLevel = paranoidLevel
    self.tracefs = tracefs
    self.entries = entries
  }

  /// Tries what a recording opens, and says what works.
  package static func probe(
    readsSymbols: Bool, loadsPrograms: Bool = false
  ) -> CapabilityReport {
    EventTurn.take()
    defer { EventTurn.give() }
    var probe = CapabilityProbe(readsSymbols: readsSymbols)
    return probe.run(loadsPrograms: loadsPrograms)
  }

  /// The signals that are not fully recorded.
  package var shortcomings: [Entry] { entries.filter { $0.status != .full } }

  /// One line for a log: what is whole, what is not.
  package var oneLine: String {
    let names = { (status: Status) in
      entries.filter { $0.status == status }.map(\.signal).joined(separator: ", ")
    }
    let full = entries.count { $0.status == .full }
    var parts = ["\(full) of \(entries.count) signals in full"]
    if entries.contains(where: { $0.status == .degraded }) {
      parts.append("degraded: \(names(.degraded))")
    }
    if entries.contains(where: { $0.status == .unavailable }) {
      parts.append("unavailable: \(names(.unavailable))")
    }
    return parts.joined(separator: "; ")
  }

  /// The report as text, no line longer than `width` where words allow it.
  package func table(width: Int = 80) -> String {
    let width = max(width, 40)
    var lines = Self.wrapped("\(system), \(privilege)", first: "", rest: "  ", width: width)
    lines += Self.wrapped(
      "tracefs: \(tracefs ?? "not found")"
        + (paranoidLevel.map { "; kernel.perf_event_paranoid: \($0)" } ?? ""),
      first: "", rest: "  ", width: width)
    lines.append("")
    lines += Self.wrapped(
      "What the kernel's events tell here (--recorder kernel, or perf):", first: "", rest: "  ",
      width: width)
    let nameWidth = (entries.map(\.signal.count).max() ?? 0) + 2
    let statusWidth = 13
    let indent = String(repeating: " ", count: nameWidth + statusWidth)
    for entry in entries {
      let first =
        Self.padded(entry.signal, nameWidth)
        + Self.padded(
          entry.status.rawValue, statusWidth)
      lines += Self.wrapped(entry.detail, first: first, rest: indent, width: width)
    }
    var fixes: [(names: [String], cause: String, fix: String)] = []
    for entry in shortcomings {
      let cause = entry.cause ?? entry.detail
      let fix = entry.fix ?? ""
      if let known = fixes.firstIndex(where: { $0.cause == cause && $0.fix == fix }) {
        fixes[known].names.append(entry.signal)
      } else {
        fixes.append(([entry.signal], cause, fix))
      }
    }
    for entry in fixes {
      lines.append("")
      lines += Self.wrapped(
        "\(entry.names.joined(separator: ", ")): \(entry.cause)", first: "", rest: "  ",
        width: width)
      if !entry.fix.isEmpty {
        lines += Self.wrapped(entry.fix, first: "  fix: ", rest: "       ", width: width)
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }

  /// Words in lines of a width.
  package static func wrapped(
    _ text: String, first: String, rest: String, width: Int
  ) -> [String] {
    var lines: [String] = []
    var line = first
    var isEmpty = true
    for word in text.split(separator: " ") {
      if !isEmpty, line.count + 1 + word.count > width {
        lines.append(line)
        line = rest
        isEmpty = true
      }
      line += isEmpty ? "\(word)" : " \(word)"
      isEmpty = false
    }
    return lines + [line]
  }
}
