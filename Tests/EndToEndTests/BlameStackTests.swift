import Foundation
import Testing
import TraceModel

extension SideBySide {
  /// Stacks of a program that blocks in fourteen ways, built in each way that people build.
  @Suite struct BlameStacks {
    @Test(arguments: BlockingBuild.allCases)
    func `the function that blocked is named, with the way to the program's entry`(
      build: BlockingBuild
    ) throws {
      let scratch = try Scratch()
      let program = try build.compile(in: scratch)
      let run = try BlockingRun(program, scratch)
      try #require(run.spans.count == 14)
      for span in run.spans {
        let stacks = run.blockedStacks(span)
        let caller = "blockIn" + span.way.prefix(1).uppercased() + span.way.dropFirst()
        let named = stacks.count { stack in
          stack.contains { $0.isProgram && $0.function?.localizedStandardContains(caller) == true }
        }
        let whole = stacks.count { stack in
          !stack.contains(where: \.isGap) && BlockingRun.isEntry(stack.last)
        }
        #expect(stacks.count >= 10, "\(build) \(span.way)")
        #expect(
          Double(named) >= 0.95 * Double(stacks.count),
          "\(build) \(span.way): \(named) of \(stacks.count) name \(caller)")
        #expect(
          Double(whole) >= 0.9 * Double(stacks.count),
          "\(build) \(span.way): \(whole) of \(stacks.count) reach the entry")
      }
    }

    @Test func `a stripped program gives its module and the offset in it`() throws {
      let scratch = try Scratch()
      let program = try BlockingBuild.plain.compile(in: scratch)
      let stripped = scratch.file("stripped")
      try #require(try Command.run(["strip", "-o", stripped, program]).status == 0)
      let run = try BlockingRun(stripped, scratch)
      // The table that was stripped off tells where each function lies.
      let table = try Command.run(["nm", "-S", "--defined-only", program])
      for way in ["usleep", "pipeRead", "mutex"] {
        let caller = "blockIn" + way.prefix(1).uppercased() + way.dropFirst()
        let ranges: [Range<UInt64>] = table.text.split(separator: "\n").compactMap { line in
          let words = line.split(separator: " ")
          guard words.count == 4, words[3].localizedStandardContains(caller),
            let start = UInt64(words[0], radix: 16), let size = UInt64(words[1], radix: 16)
          else { return nil }
          return start..<start + size
        }
        let span = try #require(run.spans.first { $0.way == way })
        let stacks = run.blockedStacks(span)
        #expect(stacks.count >= 10)
        let found = stacks.count { stack in
          stack.contains { frame in
            frame.isProgram && frame.function == nil && frame.module == stripped
              && ranges.contains { $0.contains(frame.moduleOffset) }
          }
        }
        #expect(Double(found) >= 0.95 * Double(stacks.count), "\(way): \(found)/\(stacks.count)")
      }
    }
  }
}

/// The ways in which people build a Swift program.
enum BlockingBuild: String, CaseIterable, CustomTestStringConvertible {
  case package, plain, staticLibrary

  var testDescription: String {
    switch self {
    case .package: "swift build -c release"
    case .plain: "swiftc -O"
    case .staticLibrary: "swiftc -O -static-stdlib"
    }
  }

  private static let sources = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Sources/Workloads/Blocking")

  /// Compiles the fourteen-way program; gives its path.
  func compile(in scratch: Scratch) throws -> String {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.sources.path)
      .filter { $0.hasSuffix(".swift") }.map { Self.sources.appendingPathComponent($0).path }
    let output = scratch.file("blocking")
    switch self {
    case .plain: try Self.check(["swiftc", "-O"] + files + ["-o", output])
    case .staticLibrary:
      try Self.check(["swiftc", "-O", "-static-stdlib"] + files + ["-o", output])
    case .package:
      let package = URL(fileURLWithPath: scratch.file("package"))
      let target = package.appendingPathComponent("Sources/blocking")
      try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
      for file in files {
        let url = URL(fileURLWithPath: file)
        try FileManager.default.copyItem(
          at: url, to: target.appendingPathComponent(url.lastPathComponent))
      }
      let manifest = """
        // swift-tools-version: 6.0
        import PackageDescription
        let package = Package(name: "blocking", targets: [.executableTarget(name: "blocking")])

        """
      try manifest.write(
        to: package.appendingPathComponent("Package.swift"), atomically: true, encoding: .utf8)
      try Self.check(["swift", "build", "-c", "release", "--package-path", package.path])
      return package.appendingPathComponent(".build/release/blocking").path
    }
    return output
  }

  private static func check(_ words: [String]) throws {
    let result = try Command.run(words, limit: 500)
    try #require(result.status == 0, "\(words.first ?? ""): \(result.text) \(result.errors)")
  }
}

/// A recording of the fourteen-way program, with the times the program itself printed.
struct BlockingRun {
  struct Span: Decodable {
    var way: String
    var startNs: UInt64
    var endNs: UInt64
  }

  private struct Truth: Decodable {
    var failures: Int
    var spans: [Span]
  }

  let spans: [Span]
  let trace: Trace

  init(
    _ program: String, _ scratch: Scratch, in place: [String] = [], rounds: Int = 40
  ) throws {
    let path = scratch.file("blocking.perf.data")
    let result = try Command.run(
      place + [Machine.lull, "record", "-q", "-o", path]
        + ["--", program, scratch.path, String(rounds)])
    try #require(result.status == 0, "\(result.errors)")
    let truth = try JSONDecoder().decode(Truth.self, from: result.output)
    try #require(truth.failures == 0)
    spans = truth.spans
    trace = try Trace.load(path: path)
  }

  /// The stacks with which the main thread blocked during one way; user frames, innermost first.
  func blockedStacks(_ span: Span) -> [[Frame]] {
    let main = trace.threads.first { $0.tid == trace.subject.pid }
    return (main?.intervals ?? []).compactMap { interval in
      guard case .blocked = interval.state, let stack = interval.stack,
        interval.start.nanoseconds >= span.startNs, interval.start.nanoseconds < span.endNs
      else { return nil }
      return trace.stacks.frames(of: stack).filter { !$0.isKernel }
    }
  }

  /// How long the main thread blocked during one way, and how much of that has the way's function in its stack.
  func blockedSeconds(_ span: Span) -> (all: Double, named: Double) {
    let caller = "blockIn" + span.way.prefix(1).uppercased() + span.way.dropFirst()
    let main = trace.threads.first { $0.tid == trace.subject.pid }
    return (main?.intervals ?? []).reduce(into: (0, 0)) { sums, interval in
      guard case .blocked = interval.state, interval.start.nanoseconds >= span.startNs,
        interval.start.nanoseconds < span.endNs
      else { return }
      let seconds = Double(interval.end.nanoseconds - interval.start.nanoseconds) / 1e9
      sums.all += seconds
      let frames = interval.stack.map { trace.stacks.frames(of: $0) } ?? []
      if frames.contains(where: { $0.function?.localizedStandardContains(caller) == true }) {
        sums.named += seconds
      }
    }
  }

  /// Whether a stack that ends here goes back to where the program began.
  static func isEntry(_ frame: Frame?) -> Bool {
    let entries = ["main", "_start", "__libc_start_call_main", "__libc_start_main"]
    guard let name = frame?.function else { return false }
    return entries.contains { name == $0 || name.hasPrefix($0 + "_") }
  }
}
