import Foundation
import Testing

extension EndToEnd {
  /// An event loop that is a library's, and within its work a library that polls until a peer has answered: both are
  /// Python's, whose functions have no names.
  @Suite struct NestedWaitTests {
    @Test(arguments: ["kernel", "perf", "process", "outside"])
    func `a loop that waits for a peer's answer within its work hangs`(recorder: String) throws {
      let run = try Recorded(
        ["/usr/bin/python3", "-c", Self.program], options: ["--recorder", recorder])
      try #require(run.result.status == 0, "\(run.result)")
      let main = run.signals["mainThread"]
      let hangs = main["hangs"].items.compactMap { $0["durationSeconds"].double }
      #expect(hangs.count == 3 && hangs.allSatisfy { abs($0 - 0.4) < 0.05 }, "\(main["hangs"])")
      let waited = main["blockedByCause"]["other"].double ?? 0
      #expect(abs(waited - 1.2) < 0.1, "\(main["blockedByCause"])")
      // Thirty naps of 30 ms.
      #expect((main["idleSeconds"].double ?? 0) > 0.85, "\(main)")
      let audits = run.report["audits"].items
      func status(_ rule: String) -> String? {
        audits.first { $0["id"].string == rule }?["status"].string
      }
      #expect(status("main-thread-hangs") == "fail")
      // That it was the network is not known.
      #expect(!["pass", "notApplicable"].contains(status("main-thread-network-waits")))
    }

    private static let program = """
      import asyncio, socket, threading, time
      listener = socket.socket()
      listener.bind(("127.0.0.1", 0))
      listener.listen(8)
      def serve():
          while True:
              peer, _ = listener.accept()
              peer.recv(100)
              time.sleep(0.4)
              peer.sendall(b"answer")
              peer.close()
      threading.Thread(target=serve, daemon=True).start()
      def ask():
          with socket.create_connection(listener.getsockname(), timeout=10) as own:
              own.sendall(b"question")
              own.recv(100)
      async def main():
          for turn in range(30):
              await asyncio.sleep(0.03)
              if turn in (8, 16, 24): ask()
      asyncio.run(main())
      """
  }
}
