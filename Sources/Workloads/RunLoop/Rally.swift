import Foundation
import Synchronization

/// A program that switches as fast as it can between two threads, and then does little.
enum Rally {
  static let keys = ["rounds", "later", "gap", "pairs", "rest", "writes", "path"]

  /// `rally`: two threads send a byte to and fro, then some pairs of others do, with a gap before each byte, of which
  /// the one that answers is the younger; after that one more appends to a file. Before and after all the sending it
  /// rests. Times are in milliseconds.
  static func run(_ arguments: Arguments) throws {
    let rounds = try arguments.integer("rounds", 50_000)
    let later = try arguments.integer("later", 10_000)
    let gap = try arguments.number("gap", 0)
    let pairs = try arguments.integer("pairs", 1)
    let rest = try arguments.number("rest", 2_000)
    let writes = try arguments.integer("writes", 50)
    let path = temporaryPath(arguments, "rally.log")
    runBesideMainRunLoop {
      pause(milliseconds: rest)
      let listener = try Loopback.listen()
      var players: [(near: Int32, far: Int32)] = []
      for _ in 0..<max(pairs, 1) {
        let near = try Loopback.connect(to: listener)
        players.append((near, try checked(accept(listener, nil, nil), "accept")))
      }
      let (near, far) = players[0]
      var bodies: [@Sendable () throws -> Int] = []
      for (near, far) in players {
        bodies += [{ try play(near, later, gap: gap) }, { try serve(far, later) }]
      }
      let sends = [
        try inThreads([{ try serve(far, rounds) }, { try play(near, rounds) }]),
        try inThreads(bodies),
      ].reduce(0, +)
      pause(milliseconds: rest)
      let file = try checked(
        open(path, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0o600), "open \(path)")
      _ = try inThreads([
        {
          for _ in 0..<writes {
            pause(milliseconds: 5)
            try checked(write(file, [UInt8](repeating: 65, count: 10), 10), "write \(path)")
          }
          return 0
        }
      ])
      var truth = Truth("rally")
      truth.sends = sends
      truth.receives = sends
      truth.bytesSent = sends
      truth.bytesReceived = sends
      truth.writes = writes
      truth.bytes = writes * 10
      truth.path = path
      return truth
    }
  }

  private static func play(_ socket: Int32, _ rounds: Int, gap: Double = 0) throws -> Int {
    var byte: [UInt8] = [1]
    for _ in 0..<rounds {
      if gap > 0 { pause(milliseconds: gap) }
      try checked(send(socket, byte, 1, Int32(MSG_NOSIGNAL)), "send")
      try checked(recv(socket, &byte, 1, 0), "recv")
    }
    return rounds
  }

  private static func serve(_ socket: Int32, _ rounds: Int) throws -> Int {
    var byte: [UInt8] = [0]
    for _ in 0..<rounds {
      try checked(recv(socket, &byte, 1, 0), "recv")
      try checked(send(socket, byte, 1, Int32(MSG_NOSIGNAL)), "send")
    }
    return rounds
  }

  /// Runs each in a thread of its own and gives the sum of what they return.
  private static func inThreads(_ bodies: [@Sendable () throws -> Int]) throws -> Int {
    let done = DispatchSemaphore(value: 0)
    let sum = Sum()
    for body in bodies {
      Thread {
        do {
          let number = try body()
          sum.value.withLock { $0 += number }
        } catch { fail(error) }
        done.signal()
      }.start()
    }
    for _ in bodies { done.wait() }
    return sum.value.withLock { $0 }
  }

  private final class Sum: Sendable {
    let value = Mutex(0)
  }
}
