import CPerfEvent
import Glibc

/// What `lull mark` and `lull pressure` say to a recorder: process, time, who says it, name.
package struct MarkMessage: Sendable, Equatable {
  /// The process that the mark is about.
  package var pid: Int32
  /// CLOCK_MONOTONIC, in nanoseconds.
  package var time: UInt64
  /// command or pressure.
  package var how: String
  /// The mark.
  package var name: String

  /// Longest name, in bytes.
  package static let longestName = 100

  /// Makes a message about this moment.
  package init(pid: Int32, how: String, name: String) {
    self.pid = pid
    self.how = how
    self.name = name
    time = lull_monotonic_ns()
  }

  /// Reads a message; nil when it is none.
  init?(_ text: String) {
    let parts = text.split(separator: "\t", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 4, let pid = Int32(parts[0]), let time = UInt64(parts[1]),
      ["command", "pressure"].contains(parts[2]), Self.isName(String(parts[3]))
    else { return nil }
    self.pid = pid
    self.time = time
    how = String(parts[2])
    name = String(parts[3])
  }

  var text: String { "\(pid)\t\(time)\t\(how)\t\(name)" }

  /// Whether a name can be a mark's: short, and without control characters.
  package static func isName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= longestName
      && name.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f }
  }

  /// Sends the mark to the recorder of the process, or of an ancestor of it that is recorded.
  package func send() throws(RecordingError) {
    var recorded = pid
    var answer = [CChar](repeating: 0, count: 64)
    for _ in 0..<64 {
      var count: Int32 = 0
      // A recorder does not wait long for a sender that the machine holds up: try again then.
      for _ in 0..<5 {
        count = lull_mark_send(PIDNamespace.label, recorded, text, &answer, answer.count)
        guard -count == EPIPE || -count == ECONNRESET || -count == EAGAIN else { break }
      }
      if count > 0 {
        let words = String(
          decoding: answer.prefix(Int(count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        if words == MarkSocket.taken { return }
        throw RecordingError(kind: .permission, message: "process \(pid): \(words)")
      }
      guard -count == ECONNREFUSED || -count == ENOENT else {
        throw RecordingError(
          kind: .io, message: "process \(pid): its recorder does not answer", errno: -count)
      }
      guard let parent = ProcessStatistics(pid: recorded)?.parentPid, parent > 0 else { break }
      recorded = parent
    }
    if kill(pid, 0) < 0, errno == ESRCH {
      throw RecordingError(kind: .usage, message: "there is no process \(pid)")
    }
    throw RecordingError(
      kind: .usage,
      message: "process \(pid) is not being recorded: start `lull record --pid \(pid)` first")
  }
}
