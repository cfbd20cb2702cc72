import FlyingFox
import Foundation
import FoundationNetworking
import GRDB

/// What was done, told at the end.
actor Account {
  private(set) var requests = 0
  private(set) var ticks = 0

  func request() { requests += 1 }
  func tick() { ticks += 1 }
}

/// A server that saves each request in a database and notes four times a second how many there were.
///
/// `database-server DIRECTORY good|bad SECONDS` serves on a port of loopback, is its own client, and prints as JSON
/// how much of each it did. Each request inserts a row. Bad handlers block their thread of the pool for 120 ms before
/// they answer; good ones suspend as long.
@main struct DatabaseServer {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let seconds = Double(arguments[3]) else {
      FileHandle.standardError.write(
        Data("usage: database-server DIRECTORY good|bad SECONDS\n".utf8))
      exit(64)
    }
    let isBad = arguments[2] == "bad"
    let account = Account()
    let database = try DatabaseQueue(path: arguments[1] + "/store.sqlite")
    try await database.write { store in
      try store.execute(sql: "CREATE TABLE visit (id INTEGER PRIMARY KEY, path TEXT, time REAL)")
    }

    let server = HTTPServer(address: try .inet(ip4: "127.0.0.1", port: 0))
    await server.appendRoute("/visit") { _ in
      try await waitForBackend(isBad: isBad)
      try await insert("/visit", into: database)
      await account.request()
      return HTTPResponse(statusCode: .ok, body: Data("saved\n".utf8))
    }
    let serving = Task { try await server.run() }
    try await server.waitUntilListening()
    guard case .ip4(_, let port)? = await server.listeningAddress else { exit(1) }

    let ticking = Task { try await tick(account, database) }
    try await ask(port: port, until: Date().addingTimeInterval(seconds))
    ticking.cancel()
    await server.stop()
    serving.cancel()
    let rows = try await database.read {
      try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM visit") ?? 0
    }
    let (requests, ticks) = (await account.requests, await account.ticks)
    print("{\"requests\": \(requests), \"ticks\": \(ticks), \"rows\": \(rows)}")
    exit(0)
  }

  private static func insert(_ path: String, into database: DatabaseQueue) async throws {
    try await database.write { store in
      try store.execute(
        sql: "INSERT INTO visit (path, time) VALUES (?, ?)",
        arguments: [path, Date().timeIntervalSince1970])
    }
  }

  @inline(never)
  private static func waitForBackend(isBad: Bool) async throws {
    if isBad {
      block()
    } else {
      try await Task.sleep(for: .milliseconds(120))
    }
  }

  @inline(never)
  private static func block() {
    usleep(120_000)
    blocked += 1
  }

  /// So that the sleep is not the last thing that its function does, which would leave no frame.
  nonisolated(unsafe) private static var blocked = 0

  private static func tick(_ account: Account, _ database: DatabaseQueue) async throws {
    while !Task.isCancelled {
      try await Task.sleep(for: .milliseconds(250))
      try await insert("tick \(await account.requests)", into: database)
      await account.tick()
    }
  }

  /// Four clients ask one request after another.
  private static func ask(port: UInt16, until end: Date) async throws {
    guard let address = URL(string: "http://127.0.0.1:\(port)/visit") else { return }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          while Date() < end {
            _ = try await URLSession.shared.data(from: address)
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
