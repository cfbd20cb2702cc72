import CPerfEvent
import Glibc
import PerfData

/// Takes the marks that other processes send to this recording.
final class MarkSocket {
  static let taken = "taken"
  /// A mark is about a moment not longer ago than this.
  private static let oldest: UInt64 = 10_000_000_000

  private let descriptor: Int32
  /// Users whose marks are taken.
  private let users: Set<uid_t>

  /// Listens for the marks of a process; nil when another recorder does already.
  init?(pid: Int32, owner: uid_t?) {
    let fd = lull_mark_listen(PIDNamespace.label, pid)
    guard fd >= 0 else { return nil }
    descriptor = fd
    users = Set([0, geteuid(), owner ?? geteuid()])
  }

  deinit { close(descriptor) }

  /// The marks that came since the last look.
  func receive() -> [(event: MarkEvent, pid: Int32, time: UInt64)] {
    var marks: [(event: MarkEvent, pid: Int32, time: UInt64)] = []
    // A flood of marks must not keep the recorder from its rings.
    for _ in 0..<64 {
      var buffer = [CChar](repeating: 0, count: 512)
      var connection: Int32 = -1
      var sender: uid_t = 0
      let count = lull_mark_accept(descriptor, &buffer, buffer.count, &connection, &sender)
      if count == -EAGAIN { break }
      guard count > 0 else { continue }
      let text = String(
        decoding: buffer.prefix(Int(count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
      let now = SystemInfo.monotonicNanoseconds()
      if !users.contains(sender) {
        lull_mark_answer(connection, "refused: the recording is another user's")
      } else if let message = MarkMessage(text), message.time <= now,
        now - message.time < Self.oldest
      {
        marks.append(
          (MarkEvent(name: message.name, how: message.how), message.pid, message.time))
        lull_mark_answer(connection, Self.taken)
      } else {
        lull_mark_answer(connection, "refused: not a mark of this version of Lull")
      }
    }
    return marks
  }
}

extension MarkSocket: RecordingSource {
  func descriptors(now: UInt64) -> [Int32] { [descriptor] }

  func collect(_ round: Round) throws(PerfDataError) {
    for mark in receive() { try round.sink.append(mark.event, pid: mark.pid, time: mark.time) }
  }
}
