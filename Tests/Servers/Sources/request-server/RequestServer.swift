import Glibc
import Hummingbird
import Logging
import Synchronization

/// A server on Hummingbird that starts clients of its own, which end it.
///
/// `request-server [route=block|suspend|quick] [clients=4] [gap=MS] [seconds=8] [poll=MS] [leak=BYTES]`. Each client is
/// one connection on loopback that asks for the route again and again, `gap` apart. `block` blocks its thread of the
/// pool for 120 ms before it answers, `suspend` suspends as long. `poll` looks so often at what never changes, `leak`
/// is what each request keeps for ever, in bytes. At its end it prints as JSON how much of each there was.
@main struct RequestServer {
  static func main() async throws {
    let options = Options(CommandLine.arguments.dropFirst())
    if let port = options["port"] { Client.run(port: UInt16(port), options) }
    let router = Router()
    router.get("/block") { _, _ in
      block()
      return answer(options)
    }
    router.get("/suspend") { _, _ in
      try await Task.sleep(for: .milliseconds(120))
      return answer(options)
    }
    router.get("/quick") { _, _ in answer(options) }
    var logger = Logger(label: "request-server")
    logger.logLevel = .error
    let application = Application(
      router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { channel in Client.start(port: channel.localAddress?.port ?? 0) },
      logger: logger)
    let polling = options["poll"].map { period in Task { try await poll(every: period) } }
    try await application.runService()
    polling?.cancel()
    print(
      "{\"requests\": \(requests.load(ordering: .relaxed)),"
        + " \"looks\": \(looks.load(ordering: .relaxed)),"
        + " \"keptPerMinute\": \(keptPerMinute(options))}")
  }

  private static let requests = Atomic(0)
  private static let looks = Atomic(0)
  private static let isChanged = Atomic(false)
  /// When and where what is kept was.
  private static let kept = Mutex<[(time: ContinuousClock.Instant, address: UInt)]>([])

  private static func keptPerMinute(_ options: Options) -> Double {
    let times = kept.withLock { $0.map(\.time) }
    guard let bytes = options["leak"], let first = times.first, let last = times.last,
      first < last
    else { return 0 }
    return Double(bytes * (times.count - 1)) / ((last - first) / .seconds(60))
  }

  private static func answer(_ options: Options) -> String {
    requests.add(1, ordering: .relaxed)
    if let bytes = options["leak"] { keep(bytes) }
    return "done\n"
  }

  /// Never freed, and every page of it touched.
  @inline(never)
  private static func keep(_ bytes: Int) {
    guard let memory = malloc(bytes) else { return }
    memset(memory, 1, bytes)
    let address = UInt(bitPattern: memory)
    kept.withLock { $0.append((.now, address)) }
  }

  @inline(never)
  private static func block() {
    usleep(120_000)
    // So that the sleep is not the last thing that its function does, which would leave no frame.
    requests.add(0, ordering: .relaxed)
  }

  private static func poll(every milliseconds: Int) async throws {
    while !isChanged.load(ordering: .relaxed) {
      try await Task.sleep(for: .milliseconds(milliseconds))
      looks.add(1, ordering: .relaxed)
    }
  }
}

/// `name=value`, the value a number or, of `route`, a word.
struct Options: Sendable {
  private let values: [String: String]

  init(_ words: some Sequence<String>) {
    values = words.reduce(into: [:]) { result, word in
      guard let sign = word.firstIndex(of: "=") else { return }
      result[String(word[..<sign])] = String(word[word.index(after: sign)...])
    }
  }

  subscript(name: String) -> Int? { values[name].flatMap { Int($0) } }
  var route: String { values["route"] ?? "quick" }
}
