import Foundation

/// `chatty` and `bursty`: clients of a server in a process of its own, so that their own transfers are all that is
/// theirs.
enum NetworkClients {
  static let chattyKeys = ["messages", "bytes", "reply", "gap"]
  static let burstyKeys = ["bursts", "messages", "bytes", "reply", "gap"]
  static let serverKeys = ["bytes", "reply"]

  /// Small questions and answers with a short gap, one at a time.
  static func chatty(_ arguments: Arguments) throws {
    try run(
      Exchange(
        workload: "chatty", bursts: try arguments.integer("messages", 50), messages: 1,
        bytes: try arguments.integer("bytes", 100), reply: try arguments.integer("reply", 200),
        gap: try arguments.number("gap", 100)))
  }

  /// Everything at once, then a long gap.
  static func bursty(_ arguments: Arguments) throws {
    try run(
      Exchange(
        workload: "bursty", bursts: try arguments.integer("bursts", 3),
        messages: try arguments.integer("messages", 20),
        bytes: try arguments.integer("bytes", 1000), reply: try arguments.integer("reply", 1000),
        gap: try arguments.number("gap", 2000)))
  }

  /// The other end, on the listening socket inherited as descriptor 3.
  static func serve(_ arguments: Arguments) throws {
    let bytes = try arguments.integer("bytes", 1)
    let reply = try arguments.integer("reply", 1)
    let socket = try checked(accept(3, nil, nil), "accept")
    while try Loopback.receive(socket, bytes) != nil {
      _ = try Loopback.send(socket, reply)
    }
  }

  private struct Exchange {
    let workload: String
    let bursts: Int
    let messages: Int
    let bytes: Int
    let reply: Int
    let gap: Double
  }

  private static func run(_ exchange: Exchange) throws -> Never {
    guard exchange.bytes > 0 else { throw UsageError("bytes must be at least 1") }
    let listener = try Loopback.listen()
    let server = try spawn(
      try ownExecutable(),
      ["lull-workload", "serve", "bytes=\(exchange.bytes)", "reply=\(exchange.reply)"],
      inherited: listener)
    let socket = try Loopback.connect(to: listener)
    close(listener)
    runBesideMainRunLoop {
      var truth = Truth(exchange.workload)
      let start = monotonicNow()
      var sends = 0
      var receives = 0
      for burst in 0..<exchange.bursts {
        if burst > 0 { pause(milliseconds: exchange.gap) }
        for _ in 0..<exchange.messages {
          sends += try Loopback.send(socket, exchange.bytes)
          receives += try Loopback.receive(socket, exchange.reply) ?? 0
        }
      }
      truth.seconds = Double(monotonicNow() - start) / 1e9
      close(socket)
      var status: Int32 = 0
      waitpid(server, &status, 0)
      truth.sends = sends
      truth.receives = receives
      truth.bytesSent = exchange.bursts * exchange.messages * exchange.bytes
      truth.bytesReceived = exchange.bursts * exchange.messages * exchange.reply
      return truth
    }
  }
}
