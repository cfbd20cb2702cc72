import Foundation
import Quantities
import TestSupport
import Testing

/// Damaged files of every kind, read by the built program under a limit of memory and of time.
///
/// `LULL_FUZZ_ROUNDS` says how often each file is damaged, `LULL_FUZZ_FILES` names a folder of others than `Traces/`.
@Suite(.enabled(if: BuiltLull.path != nil)) struct DamagedFileTests {
  /// The address space that a run may take, in bytes, of a file of that size: 150 MB are enough for small traces, and a
  /// trace's records and names become objects.
  private static func mostMemory(_ size: Int) -> Int { 256 << 20 + 200 * size }

  private static let traces = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Traces")

  /// Runs the program under the limit and gives its status; above 128 where a signal ended it.
  private func run(_ arguments: [String], size: Int) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments =
      [
        "-c",
        "ulimit -v \(Self.mostMemory(size) >> 10); ulimit -t 60; \"$0\" \"$@\" >/dev/null 2>&1",
        try #require(BuiltLull.path),
      ] + arguments
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }

  private func check(_ bytes: [UInt8], _ name: String, _ commands: [[String]]) throws {
    try TemporaryDirectory.withFile(bytes) { path in
      for command in commands {
        let status = try run([command[0], path] + command.dropFirst(), size: bytes.count)
        #expect(
          [0, 4, 65].contains(status),
          "\(name): \(command) of \(bytes.count) bytes ended with \(status)")
      }
    }
  }

  private static let report = ["report", "--format", "json"]
  private static let all = [
    report, ["report", "--format", "html"], ["export", "--format", "folded"],
    ["export", "--format", "firefox"], ["export", "--format", "perfetto"],
    ["export", "--format", "pprof"], ["export", "--format", "csv", "--table", "intervals"],
  ]

  /// A changed byte made a number for each second of a damaged span, 5 to 66 GB.
  @Test(
    arguments: [
      ("ls.perf.data", 46654, 0x49), ("perf-zstd.perf.data", 2446, 0xa9),
      ("blocker-lock.perf.data", 78998, 0x10),
    ] as [(String, Int, UInt8)])
  func `one changed byte takes no memory that the file does not explain`(
    name: String, offset: Int, byte: UInt8
  ) throws {
    var bytes = try [UInt8](Data(contentsOf: Self.traces.appendingPathComponent(name)))
    try #require(bytes[offset] != byte)
    bytes[offset] = byte
    try check(bytes, name, Self.all)
  }

  static let seeds: [UInt64] = [1, UInt64.random(in: 0 ... .max)]

  @Test(arguments: seeds) func `no damage takes memory that the file does not explain`(
    seed: UInt64
  ) throws {
    print("damage seed \(seed)")
    let environment = ProcessInfo.processInfo.environment
    let rounds = environment["LULL_FUZZ_ROUNDS"].flatMap { Int($0) } ?? 1
    let folder = environment["LULL_FUZZ_FILES"].map { URL(fileURLWithPath: $0) } ?? Self.traces
    var random = SeededGenerator(seed: seed)
    var mutator = StructuralMutator(seed: seed)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    for name in names where !name.hasSuffix(".md") {
      guard let data = try? Data(contentsOf: folder.appendingPathComponent(name)), data.count > 128
      else { continue }
      for round in 0..<rounds {
        var bytes = [UInt8](data)
        if round % 2 == 0 { bytes = mutator.mutate(bytes) }
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          let place = Int.random(in: 0..<bytes.count, using: &random)
          bytes[place] = UInt8.random(in: 0 ... .max, using: &random)
        }
        let command = Self.all.randomElement(using: &random) ?? Self.report
        try check(bytes, "\(name), seed \(seed), round \(round)", [command])
      }
    }
  }
}
