import Foundation
import TestSupport
import Testing

extension SideBySide {
  @Suite(.enabled(if: Machine.hasStrace, Machine.needsStrace))
  struct Disk {
    @Test(arguments: [
      "appender writes=40 bytes=33 gap=1",
      "rewriter times=5 bytes=20000 gap=1",
      "atomic-saver times=5 bytes=10000 gap=1",
      "sqlite rows=6 gap=1",
      "sqlite rows=6 gap=1 journal=wal",
    ])
    func `writes, bytes and syncs of each path equal strace's`(workload: String) throws {
      let scratch = try Scratch()
      let target = scratch.file("target")
      let words =
        [Machine.workload] + workload.split(separator: " ").map(String.init) + ["path=\(target)"]
      let expected = try Strace.files(of: words, scratch: scratch)
        .filter { $0.key.hasPrefix(scratch.path) }
      try #require(!expected.isEmpty)
      for path in expected.keys where path != scratch.path { unlink(path) }
      unlink(target)
      let run = try Recorded(words, scratch: scratch)
      for (path, activity) in expected {
        let file = run.file(path)
        let measured = FileActivity(
          writes: file["writes"].int ?? -1, bytes: file["bytesWritten"].int ?? -1,
          syncs: file["syncs"].int ?? -1)
        #expect(measured == activity, "\(path): \(run.signals["disk"])")
      }
      // Stacks are taken now and then; where a sync waited, that tells it.
      let unplaced = run.report["blame"]["calls"].items.filter {
        $0["call"].string == "sync" && $0["function"].string == "[no stack]"
      }
      #expect(unplaced.isEmpty, "\(unplaced)")
      let disk = run.signals["disk"]
      // Standard output is a file elsewhere; whether its name is found before the program's end is chance.
      let others = disk["files"].items.filter {
        !($0["path"].string ?? "").hasPrefix(scratch.path)
      }
      func total(_ key: String, _ name: String) -> Int {
        (disk[key].int ?? -1) - others.reduce(0) { $0 + ($1[name].int ?? 0) }
      }
      #expect(total("writes", "writes") == expected.values.map(\.writes).reduce(0, +))
      #expect(total("bytesWritten", "bytesWritten") == expected.values.map(\.bytes).reduce(0, +))
      #expect(total("syncs", "syncs") == expected.values.map(\.syncs).reduce(0, +))
    }

    // It was a row by each name; and as a program went to another folder its earlier files were told to be there.
    @Test(arguments: ["process", "perf"] + (Machine.recordsInKernel ? ["kernel"] : []))
    func `a file is one row, by whichever name it is opened and wherever the program goes`(
      recorder: String
    ) throws {
      let scratch = try Scratch()
      let script = """
        import os, time
        top = os.getcwd()
        def save(path):
            file = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
            os.write(file, b"x" * 5000)
            os.fsync(file)
            os.close(file)
        time.sleep(0.3)
        for _ in range(3):
            save("notes.txt")
            save(top + "/notes.txt")
            save("other.tmp")
            os.rename("other.tmp", "other.txt")
            save(top + "/other.txt")
        os.mkdir("sub")
        os.chdir("sub")
        save("deep.txt")
        save(top + "/sub/deep.txt")
        print("{}")
        """
      let run = try Recorded(
        [Python.path, "-c", script], in: ["env", "-C", scratch.path],
        options: ["--recorder", recorder], scratch: scratch)
      try #require(run.result.status == 0, "\(run.result.errors)")
      let files = run.signals["disk"]["files"].items.filter {
        ($0["bytesWritten"].int ?? 0) >= 5000
      }
      let rows = files.map {
        "\($0["path"].string ?? "") \($0["writes"].int ?? 0) \($0["syncs"].int ?? 0)"
      }
      let names = ["notes.txt 6 6", "other.txt 6 6", "sub/deep.txt 2 2"]
      #expect(Set(rows) == Set(names.map { scratch.file($0) }), "\(rows)")
    }

    @Test(arguments: [
      ("rewriter", 0), ("rewriter", 1), ("atomic-saver", 0), ("atomic-saver how=foundation", 1),
    ])
    func `rewrites are compared with what they replaced`(workload: String, changes: Int) throws {
      let scratch = try Scratch()
      let target = scratch.file("target")
      let run = try Recorded(
        workload: "\(workload) times=7 bytes=40960 gap=400 changes=\(changes) path=\(target)",
        scratch: scratch)
      let file = run.file(target)
      let compared = file["comparedRewrites"].int ?? 0
      // Of six; on a busy machine the recorder may come late.
      #expect(compared >= 3 && compared <= 6, "\(run.signals["disk"])")
      #expect(file["comparedBytes"].int == compared * 40960)
      #expect(file["changedBytes"].int == (changes > 0 ? compared * 4096 : 0))
      #expect(file["equalRewrites"].int == (changes > 0 ? 0 : compared))
      let audit = run.audit("unchanged-rewrites")
      #expect(audit["value"].double == (changes > 0 ? 0 : 100))
      // Three that changed something may be too few to pass.
      #expect((audit["status"].string == "fail") == (changes == 0), "\(audit)")
      // Ten blocks for the one that changed; where none did, nothing tells how it should be laid out.
      let locality = run.audit("write-locality")
      #expect(locality["value"].double == (changes > 0 ? 10 : nil), "\(locality)")
      // Of those that the recorder came too late for it is not known; some that changed are too few to tell.
      let hasNone = ["notApplicable", "notMeasured"].contains(locality["status"].string)
      #expect(hasNone || changes > 0, "\(locality)")
    }

    @Test(arguments: ["rewriter", "atomic-saver"])
    func `a file replaced whole counts as rewritten each time but the first`(
      workload: String
    ) throws {
      let scratch = try Scratch()
      let target = scratch.file("target")
      let run = try Recorded(
        workload: "\(workload) times=5 bytes=20000 gap=5 path=\(target)", scratch: scratch)
      let rewrites = run.signals["disk"]["files"].items
        .filter { $0["path"].string?.hasPrefix(target) == true }
        .compactMap { $0["rewrites"].int }.reduce(0, +)
      #expect(rewrites == 4, "\(run.signals["disk"])")
    }

    // What a shell put beside a program, as `./program > out`, was held against the program.
    @Test(
      arguments: ["exec \"$0\" \"$@\"", "exec \"$0\" \"$@\" > out 2> errors"],
      ["perf", "process"])
    func `where a program's output goes is its caller's doing`(shell: String, recorder: String)
      throws
    {
      let scratch = try Scratch()
      let program = scratch.file("program")
      try FileManager.default.copyItem(atPath: Machine.workload, toPath: program)
      let own = ["appender", "writes=20", "bytes=40", "gap=0", "path=\(scratch.file("own"))"]
      let trace = scratch.file("t")
      let result = try Command.run(
        [
          "sh", "-c", "cd \"$1\" && shift && \"$@\" > said", "sh", scratch.path, Machine.lull,
          "record",
          "-q", "--recorder", recorder, "-o", trace, "--", "sh", "-c", shell, program,
        ] + own)
      try #require(result.status == 0, "\(result.errors)")
      let report = try Recorded.report(trace)
      func audit(_ id: String) -> JSON? { report["audits"].items.first { $0["id"].string == id } }
      let files = audit("bundle-writes")?["evidence"].items.compactMap { $0["path"].string }
      #expect(files == [scratch.file("own")], "\(report["signals"]["disk"])")
      // It lies under /var/tmp, and the command line names the one that is the program's own.
      #expect(audit("temporary-files")?["value"].double ?? 0 == 0, "\(report["audits"])")
    }

    // They were synced by nothing, as far as the report said, with 100 points.
    @Test(
      arguments: ["process", "perf"] + (Machine.recordsInKernel ? ["kernel"] : []),
      [("dsync", 50), ("append,sync", 50), ("append", 0)])
    func `a write to a file that is opened for synchronous ones is a sync`(
      recorder: String, flags: (names: String, syncs: Int)
    ) throws {
      let scratch = try Scratch()
      let run = try Recorded(
        [
          "dd", "if=/dev/zero", "of=\(scratch.file("synced"))", "oflag=\(flags.names)",
          "conv=notrunc", "bs=4096", "count=50", "status=none",
        ], options: ["--recorder", recorder], scratch: scratch)
      let disk = run.signals["disk"]
      #expect(disk["writes"].int == 50 && disk["bytesWritten"].int == 204_800, "\(disk)")
      #expect(disk["syncs"].int == flags.syncs, "\(disk)")
      let file = disk["files"].items.first { $0["path"].string?.hasSuffix("synced") == true }
      #expect(file?["syncs"].int == flags.syncs, "\(disk)")
    }

    // All of them were left, it was said, with the advice to make them as they were made.
    @Test(arguments: ["process", "perf"] + (Machine.recordsInKernel ? ["kernel"] : []))
    func `a temporary file without a name goes with its descriptor`(recorder: String) throws {
      let scratch = try Scratch()
      let folder = scratch.file("tmp")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let script = """
        import os, time
        made = os.O_CREAT | os.O_RDWR
        def write(file, name=None):
          if name: os.unlink(name)
          os.write(file, b"x" * 30000)
          return file
        files = [write(os.open(".", os.O_TMPFILE | os.O_RDWR, 0o600)) for _ in range(5)]
        files += [write(os.open("early", made, 0o600), "early")]
        again = os.getcwd() + "/again"
        files += [write(os.open(again, made, 0o600), again), write(os.open(again, made, 0o600))]
        time.sleep(0.3)
        """
      let run = try Recorded(
        ["/usr/bin/python3", "-c", script], in: ["env", "-C", folder],
        options: ["--recorder", recorder], scratch: scratch)
      #expect(run.signals["disk"]["writes"].int == 8, "\(run.signals["disk"])")
      let left = run.audit("temporary-files")["evidence"].items.compactMap { $0["path"].string }
      #expect(left == [folder + "/again"], "\(left)")
    }

    @Test func `what is not a disk is not counted`() throws {
      let run = try Recorded(workload: "bytewriter count=5000 path=/dev/null")
      #expect(run.signals["disk"]["writes"].int ?? 0 == 0)
      let pipe = try Recorded(["sh", "-c", "yes | head -n 10000 | cat > /dev/null"])
      #expect(pipe.signals["disk"]["bytesWritten"].int ?? 0 == 0)
    }

    @Test func `what goes to a FIFO is not counted, what a shell redirects to a file is`() throws {
      let scratch = try Scratch()
      let script = """
        cd "$1" && mkfifo f && { cat f >/dev/null & echo hello >f; wait
        cat f >/dev/null & exec 3>f; echo one >&3; sleep 0.5; echo two >&3; exec 3>&-; wait; }
        echo three >regular; echo four >/dev/shm/lull-test-$$; rm /dev/shm/lull-test-$$
        """
      let run = try Recorded(
        ["sh", "-c", script, "sh", scratch.path], options: ["--process", "sh"], scratch: scratch)
      try #require(run.result.status == 0, "\(run.result.errors)")
      #expect(run.signals["disk"]["writes"].int == 1, "\(run.signals["disk"])")
      #expect(run.signals["disk"]["bytesWritten"].int == 6, "\(run.signals["disk"])")
    }

    /// The short one is over before anything of it can be looked at.
    @Test(arguments: [3, 1500])
    func `whatever a program redirects to for a moment, its writes are of that`(_ turns: Int) throws
    {
      let scratch = try Scratch()
      // As a shell does for `echo >f`, without its pauses; a FIFO with two ends open never waits.
      let script = """
        import os, sys
        os.chdir(sys.argv[1])
        os.mkfifo("fifo")
        end = os.open("fifo", os.O_RDWR)
        saved = os.dup(1)
        for turn in range(int(sys.argv[2])):
          for name in ("fifo", "one", "two"):
            file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            os.dup2(file, 1)
            os.close(file)
            os.write(1, b"hello\\n")
            os.dup2(saved, 1)
          os.read(end, 6)
        """
      let run = try Recorded(
        ["/usr/bin/python3", "-c", script, scratch.path, "\(turns)"],
        options: ["--process", "python3"], scratch: scratch)
      try #require(run.result.status == 0, "\(run.result.errors)")
      for name in ["one", "two"] {
        let file = run.file(scratch.file(name))
        #expect(file["writes"].int == turns && file["bytesWritten"].int == 6 * turns, "\(file)")
      }
      #expect(run.signals["disk"]["writes"].int == 2 * turns, "\(run.signals["disk"])")
    }

    @Test(arguments: ["sendfile", "splice", "copy_file_range", "ring"])
    func `a file filled without write is counted`(way: String) throws {
      let scratch = try Scratch()
      let target = scratch.file("target")
      let run = try Recorded(
        workload: "filler way=\(way) times=7 bytes=3000 path=\(target)", scratch: scratch)
      let file = run.file(target)
      #expect(file["writes"].int == run.truth["writes"].int, "\(run.signals["disk"])")
      #expect(file["bytesWritten"].int == run.truth["bytes"].int)
      #expect(file["syncs"].int == run.truth["syncs"].int)
    }

    @Test func `what is written through memory is said not to be counted`() throws {
      let scratch = try Scratch()
      let target = scratch.file("target")
      let run = try Recorded(
        workload: "filler way=mmap times=7 bytes=40000 path=\(target)", scratch: scratch)
      let told = run.report["capture"]["unavailable"].items.first {
        $0["signal"].string == "shared mappings"
      }
      #expect(told?["reason"].string?.contains(target) == true, "\(run.report["capture"])")
    }

    @Test func `totals stay right at a high rate`() throws {
      let scratch = try Scratch()
      let target = scratch.file("target")
      let run = try Recorded(
        workload: "bytewriter count=500000 path=\(target)", options: ["--recorder", "perf"],
        scratch: scratch)
      let disk = run.signals["disk"]
      // One in 251 is recorded, and stands for that many; or for twenty times as many, in slices of time.
      #expect(abs((disk["writes"].int ?? 0) - 500_000) <= 1_000, "\(disk)")
      #expect(disk["bytesWritten"].int == disk["writes"].int)
      // What the kernel counted besides is exact: the writes and the line that the program prints.
      let exact = run.report["capture"]["exactCounts"].items.first {
        $0["source"].string == "/proc/PID/io"
      }
      #expect(exact?["count"].int == 500_001, "\(run.report["capture"])")
      #expect(!run.report["capture"]["sampled"].items.isEmpty)
    }

    @Test func `so do those of programs that a shell starts and waits for`() throws {
      let scratch = try Scratch()
      let target = scratch.file("target")
      let run = try Recorded(
        [
          "sh", "-c",
          "for i in 1 2; do dd if=/dev/zero of=\(target).$i bs=1 count=250000 status=none; done; true",
        ], scratch: scratch)
      let exact = run.report["capture"]["exactCounts"].items.first {
        $0["source"].string == "/proc/PID/io"
      }
      #expect(exact?["count"].int == 500_000, "\(run.report["capture"])")
      let written = run.report["processes"].items.reduce(0) { $0 + ($1["bytesWritten"].int ?? 0) }
      #expect(abs(written - 500_000) <= 10_000, "\(run.report["processes"])")
    }

    @Test func `what a scenario's program prints is no write of its to disk`() throws {
      let scratch = try Scratch()
      let budget = """
        [[scenario]]
        name = "started"
        command = ["sh", "-c", "for i in 1 2 3; do echo $i; done; sleep 0.3"]

        [[scenario]]
        name = "attached"
        command = ["sh", "-c", "while :; do echo again; sleep 0.05; done"]
        warm-up = "0.4s"
        duration = "1s"

        [[budget]]
        path = "signals.disk.writes"
        max = 0
        """
      try Data(budget.utf8).write(to: URL(fileURLWithPath: scratch.file("lull.toml")))
      let runs = scratch.file("runs")
      let result = try Command.run([
        Machine.lull, "check", "--run", "--budget", scratch.file("lull.toml"), "--keep", runs,
      ])
      #expect(result.status == 0, "\(result.text)\(result.errors)")
      let said = try FileManager.default.contentsOfDirectory(atPath: runs).filter {
        $0.hasSuffix(".log")
      }.map { try String(contentsOfFile: "\(runs)/\($0)", encoding: .utf8) }
      #expect(said.contains("1\n2\n3\n"), "what is printed is kept beside the trace: \(said)")
    }
  }
}
