import Quantities
import TraceModel

/// Tables of a trace's subject as CSV (RFC 4180); times in seconds from the recording's start.
package enum CSVExport {
  /// What a row is.
  package enum Table: String, Sendable, CaseIterable {
    case threads, intervals, wakeups, transfers, connections, files, footprint, samples
  }

  /// The table with its heading; nil where it has no row.
  package static func render(_ trace: Trace, _ table: Table) -> String? {
    let pid = trace.subject.pid
    let threads = trace.threads(of: pid)
    switch table {
    case .threads:
      return text(
        ["tid", "name", "start", "end", "running", "runnable", "idle"],
        threads.map { thread in
          [
            "\(thread.tid)", thread.name, seconds(thread.start, trace),
            thread.end.map { seconds($0, trace) } ?? "", number(thread.runningTime.seconds),
            number(thread.intervals.totals.runnable.seconds),
            number(thread.intervals.totals.blocked(by: .eventWait).seconds),
          ]
        })
    case .intervals:
      return text(
        ["tid", "start", "duration", "state", "waker", "function"],
        threads.flatMap { thread in
          thread.intervals.map { interval in
            [
              "\(thread.tid)", seconds(interval.start, trace), number(interval.length.seconds),
              interval.state.exportName, interval.waker.map { "\($0)" } ?? "",
              interval.stack.flatMap { stack in
                trace.stacks.frames(of: stack).first { !$0.isKernel }?.displayName
              } ?? "",
            ]
          }
        })
    case .wakeups:
      return text(
        ["time", "tid", "waker", "wakerPid", "context", "cpuWasIdle"],
        trace.wakeups.filter { $0.pid == pid }.map {
          [
            seconds($0.time, trace), "\($0.tid)", "\($0.waker)", "\($0.wakerPid)", "\($0.context)",
            "\($0.cpuWasIdle)",
          ]
        })
    case .transfers:
      return text(
        ["time", "tid", "direction", "bytes", "weight", "protocol", "remote"],
        trace.transfers.internet(of: pid).map { transfer in
          [
            seconds(transfer.time, trace), "\(transfer.tid)", "\(transfer.direction)",
            "\(transfer.bytes)", "\(transfer.weight)", "\(transfer.transportProtocol)",
            transfer.connection.map { trace.connections[$0].remote } ?? "",
          ]
        })
    case .connections:
      return text(
        ["local", "remote", "opened", "closed", "loopback"],
        trace.connections.filter { $0.pid == pid }.map { connection in
          [
            connection.local, connection.remote,
            connection.opened.map { seconds($0, trace) } ?? "",
            connection.closed.map { seconds($0, trace) } ?? "", "\(connection.isLoopback)",
          ]
        })
    case .files:
      return text(
        ["time", "tid", "operation", "path", "target", "bytes", "weight", "duration"],
        trace.fileOperations.filter { $0.pid == pid }.map { operation in
          [
            seconds(operation.time, trace), "\(operation.tid)", kind(operation.kind),
            operation.path ?? "", operation.target?.rawValue ?? "unknown", "\(operation.bytes)",
            "\(operation.weight)", operation.duration.map { number($0.seconds) } ?? "",
          ]
        })
    case .footprint:
      return text(
        ["time", "footprint", "resident", "anonymous", "swapped", "threads"],
        trace.footprints.filter { $0.pid == pid }.map { reading in
          [
            seconds(reading.time, trace), "\(reading.sample.footprint)",
            "\(reading.sample.resident)", "\(reading.sample.anonymous)",
            "\(reading.sample.swapped)", "\(reading.sample.threadCount)",
          ]
        })
    case .samples:
      return text(
        ["time", "tid", "function", "period"],
        trace.processorSamples.filter { $0.pid == pid }.map { sample in
          [
            seconds(sample.time, trace), "\(sample.tid)",
            sample.stack.flatMap { trace.stacks.frames(of: $0).first?.displayName } ?? "",
            "\(sample.period)",
          ]
        })
    }
  }

  private static func kind(_ kind: FileOperation.Kind) -> String {
    switch kind {
    case .open(let truncates): truncates ? "open, truncating" : "open"
    case .rename(let from): "rename from \(from)"
    default: "\(kind)"
    }
  }

  private static func seconds(_ time: Timestamp, _ trace: Trace) -> String {
    number(trace.seconds(time))
  }

  /// To the nanosecond, without an exponent.
  private static func number(_ value: Double) -> String {
    let nanoseconds = Int64(saturating: (value * 1e9).rounded())
    let (whole, rest) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
    let digits = String(rest)
    return (nanoseconds < 0 ? "-" : "") + "\(whole)."
      + String(repeating: "0", count: 9 - digits.count) + digits
  }

  private static func text(_ heading: [String], _ rows: [[String]]) -> String? {
    rows.isEmpty
      ? nil : ([heading] + rows).map { $0.map(cell).joined(separator: ",") + "\r\n" }.joined()
  }

  /// An empty cell is one without a value.
  private static func cell(_ field: String) -> String { field.isEmpty ? "" : CSVField.text(field) }
}
