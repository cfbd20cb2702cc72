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

  /// Forty segments of one connection, as a pcap or a pcapng file.
  private static func capture(isNext: Bool) -> [UInt8] {
    func little(_ values: UInt32...) -> [UInt8] {
      values.flatMap { value in (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }
    }
    func block(_ type: UInt32, _ body: [UInt8]) -> [UInt8] {
      let body = body + [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
      return little(type, UInt32(body.count + 12)) + body + little(UInt32(body.count + 12))
    }
    let segment = WireFrame.segment(40_000, 443, payload: 10)
    let times = (0..<40).map { 1_700_000_000_000_000 + UInt64($0) * 100_000 }
    guard isNext else {
      var builder = CaptureBuilder()
      for time in times { builder.packet(time: time * 1000, segment) }
      return builder.build()
    }
    let size = UInt32(segment.count)
    // Section, interface, and a packet's interface, time and sizes.
    return times.reduce(
      into: block(0x0a0d_0d0a, little(0x1a2b_3c4d, 1, .max, .max)) + block(1, little(1, 65_535))
    ) { bytes, time in
      let (high, low) = (UInt32(time >> 32), UInt32(truncatingIfNeeded: time))
      bytes += block(6, little(0, high, low, size, size) + segment)
    }
  }

  @Test(arguments: [true, false])
  func `the captures that are damaged are good before`(isNext: Bool) throws {
    try TemporaryDirectory.withFile(Self.capture(isNext: isNext)) { path in
      let status = try run(["report", path], size: 10_000)
      #expect(status == 0)
    }
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
    var files = [("pcap", Self.capture(isNext: false)), ("pcapng", Self.capture(isNext: true))]
    for name in names where !name.hasSuffix(".md") {
      guard let data = try? Data(contentsOf: folder.appendingPathComponent(name)), data.count > 128
      else { continue }
      files.append((name, [UInt8](data)))
    }
    for (name, whole) in files {
      for round in 0..<rounds {
        var bytes = whole
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
