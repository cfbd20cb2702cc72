import PerfData
import Quantities
import TestSupport
import Testing

@testable import TraceModel

struct TablesTests {
  /// Notes where each table is.
  private final class Places: TableVisitor {
    var found: [UnsafeRawPointer] = []

    func visit(_ table: inout some TraceTable) {
      withUnsafePointer(to: &table) { found.append(UnsafeRawPointer($0)) }
    }
  }

  @Test func `what is done to each table is done to every one, once`() {
    var tables = Tables()
    let places = Places()
    tables.visit(places)
    #expect(Set(places.found).count == places.found.count)
    #expect(
      places.found.count == Mirror(reflecting: tables).children.count,
      "each property of Tables needs a line in Tables.visit")
  }

  @Test func `rows say what is left of them`() throws {
    func time(_ seconds: UInt64) -> Timestamp { Timestamp(nanoseconds: seconds * second) }
    var tables = Tables()
    for pid in [7, 8] as [Int32] {
      for at in 1...4 as ClosedRange<UInt64> {
        tables.signals.append(SignalDelivery(time: time(at), pid: pid, number: 1))
        tables.createdTasks.append(CreatedTask(time: time(at), pid: pid))
        tables.connections.append(
          Connection(
            socket: at, transportProtocol: 6, local: "", remote: "", isLoopback: false,
            isServerSide: false, pid: pid))
      }
    }
    func seconds(_ rows: some Sequence<some EventRow>, of pid: Int32) -> [UInt64] {
      rows.filter { $0.pid == pid }.map { $0.time.nanoseconds / second }
    }
    tables.leaveOut(7, before: time(3))
    #expect(seconds(tables.signals, of: 7) == [3, 4] && seconds(tables.signals, of: 8).count == 4)
    #expect(seconds(tables.createdTasks, of: 7) == [3, 4] && tables.createdTasks.count(of: 8) == 4)
    tables.keep(.init(recordingStart: time(1), from: time(2), to: time(3)))
    #expect(seconds(tables.signals, of: 7) == [3] && seconds(tables.signals, of: 8) == [2, 3])
    #expect(seconds(tables.createdTasks, of: 8) == [2, 3])
    // Others refer to them by their places.
    #expect(tables.connections.count == 8)
  }
}
