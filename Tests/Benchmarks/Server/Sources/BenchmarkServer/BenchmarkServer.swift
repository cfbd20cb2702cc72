import Hummingbird
import Logging

/// An HTTP server that answers every request with a few bytes: `BenchmarkServer PORT`.
@main
struct BenchmarkServer {
  static func main() async throws {
    let port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 8080
    let router = Router()
    router.get("/") { _, _ in "Hello, world\n" }
    var logger = Logger(label: "benchmark")
    logger.logLevel = .error
    let application = Application(
      router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)),
      logger: logger)
    try await application.runService()
  }
}
