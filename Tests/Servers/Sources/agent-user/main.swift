import Hummingbird
import LullAgent

/// Serves greetings, of which some read a file where its event loop waits for it, and recordings of itself.
///
/// `agent-user PORT TOKEN FILE LULL`
let words = CommandLine.arguments
let port = Int(words[1]) ?? 0
let file = words[3]
let requests = RecordingRequests(token: words[2], longest: .seconds(20), lull: words[4])

let router = Router()
router.get("hello") { _, _ in "hello" }
router.get("read") { _, _ in "\(readWhole(file))" }
router.post("lull") { request, _ in
  let seconds = request.uri.queryParameters.get("seconds", as: Double.self) ?? 5
  do {
    let trace = try await requests.record(
      for: .seconds(seconds), token: request.headers[.authorization])
    return Response(status: .ok, body: .init(byteBuffer: ByteBuffer(bytes: trace)))
  } catch RecordingRequests.Failure.wrongToken {
    throw HTTPError(.unauthorized)
  } catch RecordingRequests.Failure.refused(let reason) {
    throw HTTPError(.conflict, message: reason)
  }
}
let application = Application(
  router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)))
try await application.runService()
