import Foundation
import Testing

extension EndToEnd {
  /// `lull top`, in a terminal of its own.
  @Suite struct Live {
    private static let hasTmux = Machine.tool("tmux") != nil

    private func tmux(_ words: String..., socket: String) throws -> String {
      try Command.run(["tmux", "-L", socket] + words).text
    }

    private func wait(
      _ seconds: Double, socket: String, for isThere: (String) -> Bool
    ) throws -> String {
      var screen = ""
      for _ in 0..<Int(seconds * 5) {
        screen = try tmux("capture-pane", "-p", "-t", "t", socket: socket)
        if isThere(screen) { return screen }
        usleep(200_000)
      }
      return screen
    }

    @Test(.enabled(if: hasTmux, "needs tmux"))
    func
      `in 80 by 24 it shows a busy loop's figures, answers keys and leaves the terminal as it was`()
      throws
    {
      let socket = "lull-test-\(getpid())"
      defer { _ = try? tmux("kill-server", socket: socket) }
      // Twenty waits a second, each of which a timer ends.
      let program = try Command([Machine.workload, "poller", "hz=20", "seconds=60", "main=0"])
      defer { kill(program.pid, SIGKILL) }
      _ = try tmux(
        "-f", "/dev/null", "new-session", "-d", "-s", "t", "-x", "80", "-y", "24", "sh",
        socket: socket)
      _ = try tmux("send-keys", "-t", "t", "echo before", "Enter", socket: socket)
      let settings = try wait(5, socket: socket) { $0.contains("before\n") }
      #expect(settings.contains("before"))
      _ = try tmux(
        "send-keys", "-t", "t",
        "\(Machine.lull) top --interval 1s \(program.pid); stty -a | grep -o '.icanon'",
        "Enter", socket: socket)
      let shown = try wait(20, socket: socket) { screen in
        screen.contains("wakeups") && screen.contains("2") && screen.contains("lull-workload (pid")
          && screen.contains("/s")
      }
      let lines = shown.split(separator: "\n", omittingEmptySubsequences: false)
      #expect(lines.count <= 25 && lines.allSatisfy { $0.count <= 80 }, "\(shown)")
      #expect(shown.contains("q quit"), "\(shown)")
      // The figure of the minute, once some seconds were seen, against what the program does by its own account.
      sleep(6)
      let later = try tmux("capture-pane", "-p", "-t", "t", socket: socket)
      let wakeups = later.split(separator: "\n").first { $0.hasPrefix("wakeups") }
      let rates = (wakeups ?? "").split(separator: " ").compactMap { word in
        word.hasSuffix("/s") ? Double(word.dropLast(2)) : nil
      }
      #expect(rates.count == 2 && rates.allSatisfy { abs($0 - 20) < 4 }, "\(later)")
      _ = try tmux("send-keys", "-t", "t", "s", socket: socket)
      let sorted = try wait(5, socket: socket) { $0.contains("by blocked") }
      #expect(sorted.contains("by blocked"))
      _ = try tmux("resize-window", "-t", "t", "-x", "60", "-y", "20", socket: socket)
      let small = try wait(5, socket: socket) { $0.contains("q quit") }
      #expect(small.split(separator: "\n").allSatisfy { $0.count <= 60 }, "\(small)")
      _ = try tmux("send-keys", "-t", "t", "q", socket: socket)
      let after = try wait(15, socket: socket) { $0.contains(" icanon") || $0.contains("-icanon") }
      // The screen that was there before, with what follows; and a line at a time again.
      #expect(after.contains("before") && after.contains(" icanon"), "\(after)")
      #expect(!after.contains("q quit"))
    }

    @Test(.enabled(if: hasTmux, "needs tmux"))
    func `a terminal is given back when it is ended by a signal`() throws {
      let socket = "lull-kill-\(getpid())"
      defer { _ = try? tmux("kill-server", socket: socket) }
      let program = try Command([Machine.workload, "idle", "seconds=60"])
      defer { kill(program.pid, SIGKILL) }
      _ = try tmux(
        "-f", "/dev/null", "new-session", "-d", "-s", "t", "-x", "80", "-y", "24", "sh",
        socket: socket)
      _ = try tmux(
        "send-keys", "-t", "t", "\(Machine.lull) top \(program.pid); stty -a | grep -o '.icanon'",
        "Enter", socket: socket)
      _ = try wait(20, socket: socket) { $0.contains("q quit") }
      _ = try Command.run(["pkill", "-TERM", "-f", "lull top \(program.pid)$"])
      let after = try wait(15, socket: socket) { $0.contains(" icanon") || $0.contains("-icanon") }
      #expect(after.contains(" icanon"), "\(after)")
    }

    // It wrote all since its file began, which was any time up to then.
    @Test(.enabled(if: hasTmux, "needs tmux"))
    func `what w writes is of the last seconds that were asked for, and of nothing before`() throws
    {
      let socket = "lull-write-\(getpid())"
      defer { _ = try? tmux("kill-server", socket: socket) }
      let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("lull-write-\(getpid())").path
      try FileManager.default.createDirectory(
        atPath: folder + "/work", withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      // Fifty writes of a hundred bytes a second.
      let program = try Command([
        "/usr/bin/python3", "-c",
        """
        import os, time
        file = os.open("\(folder)/out", os.O_WRONLY | os.O_CREAT)
        start, count = time.monotonic(), 0
        while count < 6000:
          count += 1
          time.sleep(max(0, start + count / 50 - time.monotonic()))
          os.write(file, b"x" * 100)
        """,
      ])
      defer { kill(program.pid, SIGKILL) }
      _ = try tmux(
        "-f", "/dev/null", "new-session", "-d", "-s", "t", "-x", "200", "-y", "24", "-c", folder,
        "sh", socket: socket)
      _ = try tmux(
        "send-keys", "-t", "t",
        "TMPDIR=\(folder)/work \(Machine.lull) top --last 10s \(program.pid)", "Enter",
        socket: socket)
      _ = try wait(20, socket: socket) { $0.contains("q quit") }
      // The second of its files began within these ten seconds.
      sleep(14)
      _ = try tmux("send-keys", "-t", "t", "w", socket: socket)
      let said = try wait(30, socket: socket) { $0.contains("written to") }
      #expect(said.contains("the last 10.0 s written to python3-"), "\(said)")
      _ = try tmux("send-keys", "-t", "t", "q", socket: socket)
      let trace = try #require(
        FileManager.default.contentsOfDirectory(atPath: folder).first { $0.hasPrefix("python3-") })
      let text = try Command.run([Machine.lull, "report", "\(folder)/\(trace)"]).text
      #expect(text.contains("10.0 s recorded"), "\(text)")
      #expect(text.contains("Written since the last 10.0 s were asked for"), "\(text)")
      let report = try Command.run([
        Machine.lull, "report", "\(folder)/\(trace)", "--format", "json",
      ])
      let json = try #require(
        JSONSerialization.jsonObject(with: Data(report.text.utf8)) as? [String: Any])
      let signals = try #require(json["signals"] as? [String: Any])
      let disk = try #require(signals["disk"] as? [String: Any])
      let writes = try #require(disk["writes"] as? Int)
      #expect(abs(writes - 500) <= 10, "\(writes)")
      #expect(disk["bytesWritten"] as? Int == writes * 100)
      let files = try #require(disk["files"] as? [[String: Any]])
      #expect(files.first?["path"] as? String == folder + "/out")
      // Nothing else is left of it.
      for _ in 0..<50 {
        if try FileManager.default.contentsOfDirectory(atPath: folder + "/work").isEmpty { break }
        usleep(100_000)
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/work").isEmpty)
    }

    // Its recorder went on for ever, and filled the disk.
    @Test func `killed it leaves no recorder and no file behind`() throws {
      let program = try Command([Machine.workload, "idle", "seconds=60"])
      defer { kill(program.pid, SIGKILL) }
      let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("lull-top-\(getpid())").path
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let top = try Command(["env", "TMPDIR=\(folder)", Machine.lull, "top", "\(program.pid)"])
      func recorders() throws -> String {
        try Command.run(["pgrep", "-f", "^[^ ]*lull record .*\(folder)"]).text
      }
      for _ in 0..<100 where try recorders().isEmpty { usleep(100_000) }
      #expect(try !recorders().isEmpty)
      sleep(1)
      kill(top.pid, SIGKILL)
      for _ in 0..<150 where try !recorders().isEmpty { usleep(100_000) }
      #expect(try recorders().isEmpty)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    }

    @Test func `without a terminal it prints rows, whose rates are the program's`() throws {
      let program = try Command([Machine.workload, "poller", "hz=50", "seconds=60", "main=0"])
      defer { kill(program.pid, SIGKILL) }
      let result = try Command.run([
        Machine.lull, "top", "--interval", "2s", "--duration", "9s", "\(program.pid)",
      ])
      #expect(result.status == 0, "\(result.errors)")
      let rows = result.text.split(separator: "\n").map {
        $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      }
      let head = try #require(rows.first)
      let column = try #require(head.firstIndex(of: "wakeups"))
      #expect(rows.count >= 3 && rows.allSatisfy { $0.count == head.count }, "\(result.text)")
      let last = try #require(rows.last)
      let rate = Double(last[column].dropLast(2)) ?? 0
      #expect(abs(rate - 50) < 6, "\(result.text)")
    }

    @Test(.enabled(if: hasTmux, "needs tmux"))
    func `without a process it lists those of Swift, and goes on with the one that is chosen`()
      throws
    {
      let socket = "lull-list-\(getpid())"
      defer { _ = try? tmux("kill-server", socket: socket) }
      let program = try Command([Machine.workload, "poller", "hz=20", "seconds=90", "main=0"])
      defer { kill(program.pid, SIGKILL) }
      _ = try tmux(
        "-f", "/dev/null", "new-session", "-d", "-s", "t", "-x", "80", "-y", "24", "sh",
        socket: socket)
      _ = try tmux(
        "send-keys", "-t", "t", "\(Machine.lull) top --interval 1s; stty -a | grep -o '.icanon'",
        "Enter", socket: socket)
      func isListed(_ screen: String) -> Bool {
        screen.split(separator: "\n").contains {
          $0.contains(" \(program.pid) ") && $0.contains("lull-workload") && $0.contains(" %")
        }
      }
      var screen = try wait(15, socket: socket, for: isListed)
      #expect(isListed(screen), "\(screen)")
      #expect(screen.split(separator: "\n").allSatisfy { $0.count <= 80 })
      // To the last column.
      #expect(screen.contains(" threads\n"), "\(screen)")
      // No shell, and not this terminal.
      #expect(!screen.contains("  tmux") && !screen.contains("  dash"), "\(screen)")
      let line = try #require(
        screen.split(separator: "\n").first { $0.contains(" \(program.pid) ") })
      // Its waits by its own account: twenty a second.
      let words = line.split(separator: " ").map(String.init)
      let percent = try #require(words.firstIndex(of: "%"))
      let rate = try #require(Double(words[percent + 1]))
      #expect(abs(rate - 20) < 8, "\(line)")
      for _ in 0..<40 where !screen.contains("> ") || !chosen(in: screen, is: program.pid) {
        _ = try tmux("send-keys", "-t", "t", "Down", socket: socket)
        screen = try wait(2, socket: socket) { chosen(in: $0, is: program.pid) }
      }
      _ = try tmux("send-keys", "-t", "t", "Enter", socket: socket)
      let looked = try wait(20, socket: socket) { $0.contains("(pid \(program.pid))") }
      #expect(looked.contains("(pid \(program.pid))"), "\(looked)")
      _ = try tmux("send-keys", "-t", "t", "q", socket: socket)
      let after = try wait(15, socket: socket) { $0.contains(" icanon") || $0.contains("-icanon") }
      #expect(after.contains(" icanon"), "\(after)")
    }

    private func chosen(in screen: String, is pid: pid_t) -> Bool {
      screen.split(separator: "\n").contains { $0.hasPrefix(">") && $0.contains(" \(pid) ") }
    }

    @Test func `without a terminal and a process it prints the list, and ends`() throws {
      let program = try Command([Machine.workload, "poller", "hz=50", "seconds=60", "main=0"])
      defer { kill(program.pid, SIGKILL) }
      let result = try Command.run([Machine.lull, "top"])
      #expect(result.status == 0, "\(result.errors)")
      let row = try #require(
        result.text.split(separator: "\n").first { $0.hasPrefix("\(program.pid)\t") },
        "\(result.text)")
      let columns = row.split(separator: "\t")
      #expect(columns[1] == "lull-workload")
      #expect(abs((Double(columns[3]) ?? 0) - 50) < 15, "\(row)")
    }
  }
}
