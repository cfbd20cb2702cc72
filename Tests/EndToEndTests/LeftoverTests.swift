import Foundation
import Testing

extension EndToEnd {
  /// What a recording leaves to be taken back by the kernel when it has ended.
  @Suite struct Leftovers {
    private static let probeDefinitions = "/sys/kernel/tracing/uprobe_events"

    /// Processes, other than this one's, that hold a perf event whose recorder was a `lull`.
    private func holders() -> [String] {
      let pids = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
      return pids.filter { pid in
        guard Int(pid) != nil,
          let name = try? String(contentsOfFile: "/proc/\(pid)/comm", encoding: .utf8),
          name.hasPrefix("lull"),
          let files = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd")
        else { return false }
        return files.contains { file in
          let target = try? FileManager.default.destinationOfSymbolicLink(
            atPath: "/proc/\(pid)/fd/\(file)")
          return target?.contains("perf_event") == true
        }
      }
    }

    /// The groups of probes whose recorders are there no more.
    private func staleGroups() throws -> Set<String> {
      let definitions = try String(contentsOfFile: Self.probeDefinitions, encoding: .utf8)
      let groups = definitions.split(separator: "\n").compactMap { line -> String? in
        guard let range = line.range(of: "lull_") else { return nil }
        return String(line[range.lowerBound...].prefix { $0 != "/" })
      }
      return Set(groups).filter { group in
        group.split(separator: "_").last.flatMap { pid_t($0) }.map { kill($0, 0) != 0 } ?? true
      }
    }

    // With a tracepoint's last event the kernel waits for all CPUs, and forks of whoever inherits one wait for that.
    @Test func `what is closed of this recording and the one before holds up no fork`() throws {
      let scratch = try Scratch()
      let program = """
        import os, time
        longest, start = 0, time.monotonic()
        while time.monotonic() < start + 0.5:
          before = time.monotonic()
          child = os.fork()
          if child == 0: os._exit(0)
          longest = max(longest, time.monotonic() - before)
          os.waitpid(child, 0)
          time.sleep(0.005)
        print(longest)
        """
      // The machine may hold up one of them by itself; what is closed held up each.
      let longest = try (0..<3).map { round in
        _ = try Command.run([
          Machine.lull, "record", "--no-report", "-o", scratch.file("before-\(round)"), "--",
          "true",
        ])
        let result = try Command.run([
          Machine.lull, "record", "--no-report", "-o", scratch.file("t-\(round)"), "--",
          "/usr/bin/python3", "-c", program,
        ])
        let line = result.text.split(separator: "\n").first.map(String.init) ?? ""
        return try #require(Double(line), "\(result.text)\(result.errors)")
      }
      #expect((longest.min() ?? 1) < 0.02, "\(longest)")
    }

    @Test(
      .enabled(if: access(probeDefinitions, R_OK) == 0, "needs tracefs mounted to look at probes"))
    func `nobody waits for the events to be closed, and nothing stays of them`() throws {
      let scratch = try Scratch()
      let before = Set(holders())
      // A pipe ends when nobody holds it any more: what closes the events must not.
      let result = try Command.run([
        "sh", "-c", "{ \"$0\" record -o \"$1\" -- true; echo $?; } 2>&1 | cat", Machine.lull,
        scratch.file("t"),
      ])
      let mine = Set(holders()).subtracting(before)
      #expect(result.text.hasSuffix("0\n"), "\(result.text)")
      #expect(result.text.contains("Score "))
      // One process at the most goes on, and ends.
      #expect(mine.count <= 1, "\(mine)")
      var left = mine
      for _ in 0..<200 where !left.isEmpty {
        usleep(50_000)
        left = Set(holders()).intersection(mine)
      }
      #expect(left.isEmpty, "still at work: \(left)")
      // The definitions go when all is closed.
      var stale = try staleGroups()
      for _ in 0..<100 where !stale.isEmpty {
        usleep(50_000)
        stale = try staleGroups()
      }
      #expect(stale.isEmpty, "probes of recorders that have ended: \(stale)")
    }
  }
}
