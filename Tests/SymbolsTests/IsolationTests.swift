import Foundation
import Testing

@testable import Symbols

/// Reading in a process of its own.
@Suite struct `Reading in another process` {
  private static let lull = ReadingProgram.lull

  private func process() throws -> ReaderProcess {
    ReaderProcess(executable: try #require(Self.lull), timeout: 30)
  }

  private func open(_ path: String, in process: ReaderProcess) -> (any ModuleContents)? {
    try? process.open(path: path, expectedBuildID: nil)
  }

  @Test func `every table is the same as when it is read here`() throws {
    let path = try TestProgram.chain("-O", "-g")
    let reader = try ModuleReader(path: path)
    let here = LocalContents(reader)
    let process = try process()
    let there = try #require(open(path, in: process))
    #expect(there.header == here.header)
    let (symbols, others) = (here.symbols(), there.symbols())
    #expect(symbols.count > 10 && symbols.count == others.count)
    let (frames, otherFrames) = (here.callFrames(), there.callFrames())
    #expect(frames.count > 10 && frames.starts == otherFrames.starts)
    let (lines, otherLines) = (here.lines(), there.lines())
    #expect(lines.count > 10 && lines.count == otherLines.count)
    for (start, end) in zip(symbols.addresses, symbols.ends) {
      for address in stride(from: start, to: end, by: 3) {
        #expect(symbols.find(address) == others.find(address))
        #expect(frames.find(address) == otherFrames.find(address))
        #expect(there.callFrame(at: address) == frames.find(address))
        let found = lines.find(address, functionStart: start)
        #expect(found == otherLines.find(address, functionStart: start))
      }
    }
    var calls = 0
    for unit in lines.units {
      let (table, other) = (here.inlines(unit: unit), there.inlines(unit: unit))
      #expect(table.starts == other.starts && table.calls == other.calls)
      calls += table.calls.count
    }
    #expect(calls > 0)
    let names = symbols.addresses.compactMap { symbols.find($0)?.mangledName }
    #expect(here.names(names) == there.names(names))
    let first = try #require(reader.segments.first { $0.isExecutable })
    #expect(here.bytes(at: first.address, count: 64) == there.bytes(at: first.address, count: 64))
    #expect(process.failures.isEmpty)
  }

  @Test func `a refused file is refused for the same reason`() throws {
    let process = try process()
    let path = try TestProgram.chain("-O", "-g", "-Xlinker", "--build-id")
    #expect(throws: ModuleReaderError.self) {
      try process.open(path: path, expectedBuildID: [1, 2, 3])
    }
    do {
      _ = try process.open(path: path, expectedBuildID: [1, 2, 3])
    } catch {
      #expect(error.description.contains("changed since the recording"))
    }
    #expect(throws: ModuleReaderError.self) {
      try process.open(path: "/etc/passwd", expectedBuildID: nil)
    }
    #expect(open(path, in: process) != nil)
  }

  /// Stands in for a reader that a file has crashed, or sent into an endless loop, or made to lie.
  @Test(arguments: [
    ("kill -SEGV $$", "signal 11"), ("exec sleep 1000", "took longer"),
    ("printf '\\3\\0\\0\\0\\0\\0\\0\\0abc' >&3; sleep 1000", "made no sense"),
    ("printf '\\377\\377\\377\\377\\377\\377\\377\\177' >&3; sleep 1000", ""),
    ("exit 0", "exit status 0"),
  ])
  func `a reader that fails costs its file alone`(script: String, reason: String) throws {
    let process = ReaderProcess(
      executable: "/bin/sh", arguments: ["-c", script], timeout: 1)
    let started = Date()
    #expect(throws: ModuleReaderError.self) {
      try process.open(path: "/proc/self/exe", expectedBuildID: nil)
    }
    #expect(Date().timeIntervalSince(started) < 20)
    guard !reason.contains("sense") else { return }
    let failure = try #require(process.failures["/proc/self/exe"])
    #expect(reason.isEmpty || failure.contains(reason), "\(failure)")
  }

  @Test func `after a file was the end of the reader, others are read on`() throws {
    let process = try process()
    let path = try TestProgram.chain("-O", "-g")
    let contents = try #require(open(path, in: process))
    #expect(contents.symbols().count > 10)
    // The kernel's limit on CPU time does the same to a reader that is caught in a loop.
    kill(try #require(process.identifier), SIGKILL)
    // The first question after that finds it gone; another file starts it anew, and this one keeps its names apart.
    _ = contents.lines()
    let another = try TestProgram.chain("-O")
    let other = try #require(open(another, in: process))
    #expect(other.symbols().count > 10)
  }

  @Test func `a file that is cut short while it is read costs its own names alone`() throws {
    let path = "\(TestProgram.directory)/cut-\(UUID().uuidString)"
    try FileManager.default.copyItem(atPath: try TestProgram.chain("-O", "-g"), toPath: path)
    let process = try process()
    let contents = try #require(open(path, in: process))
    #expect(truncate(path, 0) == 0)
    #expect(contents.symbols().count == 0)
    #expect(process.failures[path] == "it was made shorter while it was read, or its disk fails")
    let sound = try TestProgram.chain("-O", "-g")
    #expect(open(sound, in: process)?.symbols().count ?? 0 > 10)
  }

  @Test func `names and lines of altered files cost no more than names`() throws {
    let original = try [UInt8](
      Data(contentsOf: URL(fileURLWithPath: TestProgram.chain("-O", "-g"))))
    let path = "\(TestProgram.directory)/isolated-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let process = try process()
    let seed = UInt64.random(in: 0...UInt64.max)
    print("seed of the altered files for the other process: \(seed)")
    var state = seed
    func next(_ limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(max(limit, 1)))
    }
    for round in 0..<60 {
      var bytes = original
      if round % 3 == 0 { bytes.removeLast(1 + next(bytes.count - 1)) }
      for _ in 0..<(1 + next(24)) where !bytes.isEmpty {
        bytes[next(round < 30 ? min(bytes.count, 1024) : bytes.count)] = UInt8(next(256))
      }
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      guard let contents = open(path, in: process) else { continue }
      _ = contents.callFrames()
      let symbols = contents.symbols()
      for unit in contents.lines().units.prefix(4) { _ = contents.inlines(unit: unit) }
      _ = contents.names(symbols.find(0x2000).map { [$0.mangledName] } ?? [])
    }
    // Whatever became of it: a sound file is read.
    let sound = try TestProgram.chain("-O", "-g")
    #expect(open(sound, in: process)?.symbols().count ?? 0 > 10)
  }

  @Test func `a hundred thousand addresses of a large binary are named`() throws {
    // The compiler itself: a program of some hundred megabytes.
    let path = try TestProgram.toolchain("swift-frontend")
    let modules = ModuleCache(process: try process())
    let reader = try ModuleReader(path: path)
    let text = try #require(reader.segments.first { $0.isExecutable })
    var mappings = MappingTable(executablePath: path)
    let base: UInt64 = 0x7000_0000_0000
    mappings.insert(
      ModuleMapping(
        start: base + text.fileOffset, end: base + text.fileOffset + text.fileSize,
        fileOffset: text.fileOffset, path: path))
    let symbolizer = Symbolizer(modules: modules)
    let started = Date()
    var named = 0
    // As stacks bring them: some new ones each.
    let addresses = (0..<UInt64(100_000)).map {
      base + text.fileOffset + $0 * (text.fileSize / 100_000)
    }
    for start in stride(from: 0, to: addresses.count, by: 32) {
      let stack = Array(addresses[start..<min(start + 32, addresses.count)])
      symbolizer.prepare(stack, in: mappings)
      for address in stack
      where symbolizer.resolve(address: address, in: mappings).last?.function != nil { named += 1 }
    }
    // Under a second on a quiet machine; `lull-bench` measures it.
    print("100,000 addresses: \(Date().timeIntervalSince(started)) s, \(named) named")
    #expect(named > 50_000)
  }
}
