import Foundation
import Reporting
import Signals

/// A frame of the invented program's own code.
enum StackFrameSample {
  static let frame = StackFrame(
    function: "Poller.look()", module: "server", file: "/src/Sources/App/Poller.swift", line: 42,
    isProgram: true)
}

extension UnavailableSignal {
  static func sample(signal: String, reason: String) throws -> UnavailableSignal {
    try JSONDecoder().decode(
      UnavailableSignal.self, from: Data(#"{"signal":"\#(signal)","reason":"\#(reason)"}"#.utf8))
  }
}
