import Quantities
import Signals

/// System calls: by function, and by thread where all of them were recorded.
enum CallRows {
  static func tables(_ report: Report) -> [TableModel] {
    [byFunction(report.blame.calls ?? []), byThread(report.signals.systemCalls ?? [])]
  }

  private static func byFunction(_ calls: [FunctionCall]) -> TableModel {
    TableModel(
      id: "blame-calls", title: "System calls by function",
      columns: [
        .text("Function"), .text("Place"), .text("Call"), .number("Calls"), .number("Waits"),
        .number("Waited"),
      ],
      rows: calls.map { call in
        let frame = ReportFrame(
          function: call.function, module: call.module, file: call.file, line: call.line,
          isProgram: true)
        return [
          .code(call.function), .text(ReportTables.rawPlace(frame)), .code(call.call),
          call.calls.map { .number($0, Figures.grouped(Int(saturating: $0.rounded()))) } ?? .none,
          .count(call.waits), .seconds(call.seconds),
        ]
      },
      note:
        "Waited is time off the CPU in the call. Without a number of calls, those that waited are known."
    )
  }

  private static func byThread(_ calls: [SystemCallSection]) -> TableModel {
    TableModel(
      id: "system-calls", title: "System calls by thread",
      columns: [
        .text("Thread"), .text("Call"), .number("Calls"), .number("Errors"), .number("Total"),
        .number("Mean"), .number("Longest"),
      ],
      rows: calls.map { call in
        [
          .code(call.thread), .code(call.call), .count(call.count), .count(call.errors),
          call.seconds.map(CellModel.seconds) ?? .none,
          call.meanSeconds.map(CellModel.seconds) ?? .none,
          call.longestSeconds.map(CellModel.seconds) ?? .none,
        ]
      })
  }
}
