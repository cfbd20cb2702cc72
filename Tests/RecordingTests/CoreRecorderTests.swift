import Glibc
import PerfData
import Quantities
import Testing

@testable import Recording

/// Records with the real kernel, one recording at a time.
@Suite(.serialized, .enabled(if: geteuid() == 0, "kernel-wide events need root"))
struct CoreRecorderTests {
  @Test(arguments: [("exit 3", 3, nil), ("kill -9 $$", 137, 9), ("true", 0, nil)])
  func `the command's end is the recording's`(_ script: String, _ status: Int32, _ signal: Int32?)
    throws
  {
    let path = Scratch.path()
    defer { unlink(path) }
    let result = try Scratch.record(["sh", "-c", script], to: path)
    #expect(result.exitStatus == status)
    #expect(result.childSignal == signal)
    #expect(result.problems.isEmpty)
    #expect(result.lostRecords == 0)
    let trace = try PerfDataFile(path: path)
    #expect(!trace.isTruncated)
    let end = try Scratch.payloads(ProcessEvent.self, in: trace).last { $0.kind == .exit }
    #expect(end?.pid == Int(result.rootPid))
    #expect(end?.signal == signal.map(Int.init))
    #expect(end?.exitStatus == (signal == nil ? Int(status) : nil))
    // What the child had of its parent before its exec is no peak of its own.
    #expect((end?.peakResidentBytes ?? 1_000_000) > 100_000)
  }

  @Test func `every write is recorded by events, and its file is named`() throws {
    let path = Scratch.path()
    let file = Scratch.path("out")
    defer {
      unlink(path)
      unlink(file)
    }
    _ = try Scratch.record(
      ["dd", "if=/dev/zero", "of=\(file)", "bs=10", "count=500", "status=none"], to: path,
      by: .perf)
    let trace = try PerfDataFile(path: path)
    var writes = 0
    for record in trace.orderedRecords() where record.type == RecordType.sample {
      guard record.attribute >= 0,
        trace.attributes[Int(record.attribute)].name == "raw_syscalls:sys_exit",
        let raw = try trace.sample(record).raw,
        raw.unsignedInteger(at: 8, size: 8) == UInt64(SystemCallFilter.write),
        raw.unsignedInteger(at: 16, size: 8) == 10
      else { continue }
      writes += 1
    }
    #expect(writes == 500)
    // The C library's open names it even if it is closed before /proc could be asked.
    let opened = try trace.orderedRecords().contains { record in
      guard record.attribute >= 0,
        trace.attributes[Int(record.attribute)].name.hasSuffix(":open64")
      else { return false }
      let raw = try trace.sample(record).raw?.bytes ?? []
      return String(decoding: raw, as: UTF8.self).contains(file)
    }
    #expect(opened)
  }

  @Test func `a descriptor that stays open is named from /proc`() throws {
    let path = Scratch.path()
    let file = Scratch.path("out")
    defer {
      unlink(path)
      unlink(file)
    }
    _ = try Scratch.record(["sh", "-c", "exec > \(file); echo x; sleep 0.5"], to: path)
    let names = try Scratch.payloads(DescriptorEvent.self, in: PerfDataFile(path: path))
    #expect(names.contains { $0.path == file && $0.fd == 1 })
  }

  @Test func `a flood of writes is sampled by events, and counted exactly`() throws {
    let path = Scratch.path()
    defer { unlink(path) }
    let count = 1_000_000
    _ = try Scratch.record(
      ["dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=\(count)", "status=none"], to: path,
      by: .perf)
    let trace = try PerfDataFile(path: path)
    let capture = try #require(Scratch.payloads(CaptureEvent.self, in: trace).last)
    #expect(capture.complete)
    let exact = try #require(
      capture.exactCounts.first { $0.source == CaptureEvent.ExactCount.writeCalls })
    #expect(Int(exact.count) == count)
    #expect(capture.sampled.contains { $0.source == "raw_syscalls:sys_exit" })
    // So many calls a second are recorded in slices of time only.
    let slices = try #require(capture.slices)
    var weighed = 0.0
    for record in trace.orderedRecords() where record.type == RecordType.sample {
      guard record.attribute >= 0 else { continue }
      let attribute = trace.attributes[Int(record.attribute)]
      guard attribute.name == "raw_syscalls:sys_exit" else { continue }
      let time = record.time
      let slice = slices.first { time >= $0.fromNs && time < $0.toNs }
      weighed += Double(attribute.samplePeriod) * (slice?.writeWeight ?? 1)
    }
    // What is missed while it turns over is little.
    #expect(abs(weighed / Double(count) - 1) < 0.02)
  }

  @Test func `children are followed, with their beginnings, programs and ends`() throws {
    let path = Scratch.path()
    defer { unlink(path) }
    let result = try Scratch.record(["sh", "-c", "sleep 0.05; sleep 0.05; :"], to: path)
    let trace = try PerfDataFile(path: path)
    let events = try Scratch.payloads(ProcessEvent.self, in: trace)
    let children = Set(events.filter { $0.parentPid == Int(result.rootPid) }.map(\.pid))
    #expect(children.count == 2)
    for child in children {
      let own = events.filter { $0.pid == child }
      // Where it works is told as long as it can be looked at.
      #expect(Set(own.map(\.kind)).subtracting([.moved]) == [.start, .exec, .exit])
      #expect(own.allSatisfy { $0.kind != .moved || $0.workingFolder?.hasPrefix("/") == true })
      #expect(events.contains { $0.pid == child && $0.commandLine == ["sleep", "0.05"] })
    }
  }

  @Test func `attaching finds the threads and their files and leaves the process running`() throws {
    let path = Scratch.path()
    defer { unlink(path) }
    let command = try WrappedCommand(["sleep", "30"], environment: ["PATH": "/usr/bin:/bin"])
    #expect(command.release(program: "sleep") == nil)
    defer {
      command.signal(SIGKILL)
      _ = command.reap(waiting: true)
    }
    var options = RecordingOptions(target: .pid(command.pid), outputPath: path)
    options.duration = TimeSpan(seconds: 0.3)
    options.counters = []
    let result = try Recorder(options: options).run()
    #expect(result.exitStatus == 0)
    #expect(result.durationSeconds >= 0.3)
    #expect(command.reap() == nil)
    let trace = try PerfDataFile(path: path)
    let found = try Scratch.payloads(ProcessEvent.self, in: trace).first
    #expect(found?.kind == .attach)
    #expect(found?.commandLine == ["sleep", "30"])
    #expect(
      trace.orderedRecords().contains {
        trace.mmap2($0)?.path.hasSuffix("/sleep") == true && trace.mmap2($0)?.buildID != nil
      })
  }

  @Test func `what cannot be recorded is refused with its reason`() throws {
    func kind(_ target: RecordingOptions.Target) -> RecordingError.Kind? {
      do throws(RecordingError) {
        let path = Scratch.path()
        var options = RecordingOptions(target: target, outputPath: path)
        options.counters = []
        options.duration = TimeSpan(seconds: 0.1)
        _ = try Recorder(options: options).run()
        unlink(path)
        return nil
      } catch { return error.kind }
    }
    #expect(kind(.command(["no-such-command-anywhere"])) == .commandNotFound)
    #expect(kind(.command(["/etc/passwd"])) == .commandNotExecutable)
    #expect(kind(.command([])) == .usage)
    #expect(kind(.pid(2)) == .kernelThread)
    #expect(kind(.pid(getpid())) == .usage)
    #expect(kind(.pid(0)) == .usage)
    #expect(kind(.pid(Int32.max)) == .noSuchProcess)
  }

  @Test func `an existing file is never written over`() throws {
    let path = Scratch.path()
    defer { unlink(path) }
    let descriptor = open(path, O_CREAT | O_WRONLY, 0o600)
    close(descriptor)
    #expect(throws: RecordingError.self) {
      _ = try Recorder(options: RecordingOptions(target: .command(["true"]), outputPath: path))
    }
  }

  @Test func `a full disk ends the trace but not the command`() throws {
    let directory = Scratch.path("disk")
    mkdir(directory, 0o700)
    defer { rmdir(directory) }
    try #require(Scratch.run("mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", directory) == 0)
    defer { _ = Scratch.run("umount", directory) }
    let path = directory + "/small.perf.data"
    let result = try Scratch.record(
      ["dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=20000", "status=none"], to: path,
      by: .perf)
    #expect(result.exitStatus == 0)
    #expect(result.truncation?.contains("cut short") == true)
    let trace = try PerfDataFile(path: path)
    #expect(trace.isTruncated)
    #expect(!(try Scratch.payloads(CaptureEvent.self, in: trace)).isEmpty)
  }
}
