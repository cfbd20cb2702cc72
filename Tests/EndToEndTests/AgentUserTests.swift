import Foundation
import TestSupport
import Testing

extension EndToEnd {
  /// A service in a package of its own that imports LullAgent, in a place with few rights.
  @Suite(
    .enabled(if: Machine.tool("swift") != nil, "needs swift to build the package"),
    .enabled(if: Machine.tool("curl") != nil, "asks a server by curl, which is not installed"),
    .enabled(if: Rung.areThere, Rung.needsTools))
  struct AgentUser {
    @Test(arguments: [Rung.dockerUser, .user])
    func `a service is recorded over a path that it serves, and from a shell`(rung: Rung) throws {
      let program = try TestPackage.servers.program("agent-user")
      let scratch = try Scratch()
      try Data(count: 4 << 20).write(to: URL(fileURLWithPath: scratch.file("data")))
      chmod(scratch.file("data"), 0o644)
      let port = 20_000 + Int(getpid()) % 20_000
      let script = """
        program=$1 lull=$2 folder=$3 url=http://127.0.0.1:$4
        "$program" $4 secret "$folder/data" "$lull" > "$folder/server" 2>&1 & server=$!
        for i in $(seq 200); do curl -sf $url/hello > /dev/null && break; sleep 0.05; done
        curl -s -o /dev/null -w '%{http_code}\\n' -X POST "$url/lull?seconds=1"
        curl -s -o /dev/null -w '%{http_code}\\n' -X POST -H 'Authorization: wrong!' "$url/lull?seconds=1"
        curl -s -o "$folder/by-path" -w '%{http_code}\\n' -X POST -H 'Authorization: secret' "$url/lull?seconds=4" &
        path=$!
        sleep 1
        "$lull" record -q --recorder process --pid $server -o "$folder/second" 2> "$folder/refusal"
        for i in $(seq 20); do curl -s -w '\\n' $url/read; done
        wait $path
        "$lull" record -q --pid $server -o "$folder/by-shell" --duration 3s &
        shell=$!
        sleep 1
        for i in $(seq 20); do curl -s -w '\\n' $url/read; done
        wait $shell
        kill $server
        wait $server
        """
      let run = try Command.run(
        rung.words(writingTo: scratch) + [
          "sh", "-c", script, "service", program, Machine.lull, scratch.path, "\(port)",
        ])
      let lines = run.text.split(separator: "\n").map(String.init)
      #expect(lines.prefix(2) == ["401", "401"], "\(run.text)\(run.errors)")
      #expect(lines.filter { $0 == "200" }.count == 1, "\(run.text)\(run.errors)")
      #expect(lines.filter { $0 == "\(4 << 20)" }.count == 40, "\(run.text)")
      let refusal = try String(contentsOfFile: scratch.file("refusal"), encoding: .utf8)
      #expect(refusal.contains("is being recorded by another recorder"), "\(refusal)")
      for name in ["by-path", "by-shell"] {
        let report = try Recorded.report(
          scratch.file(name), options: ["--radio-loopback"])
        #expect(
          report["capture"]["privilege"].string?.contains("recorded by the program itself") == true)
        #expect(report["trace"]["lostEvents"].int == 0)
        // Each of 20 answers has a head and a body, and reads the file past the kernel's memory of it.
        #expect(
          (report["signals"]["network"]["bytesSent"].int ?? 0) > 20 * 80,
          "\(report["signals"]["network"])")
        let reading = report["blame"]["blocked"].items.filter {
          $0["function"].string?.hasPrefix("readWhole") == true
        }
        #expect(!reading.isEmpty, "\(name): \(report["blame"])")
      }
    }
  }
}
