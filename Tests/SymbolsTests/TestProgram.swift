import Foundation
import Synchronization

/// Runs tools for the tests and compiles small programs, each once per test run.
enum TestProgram {
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  static let directory: String = {
    let path = NSTemporaryDirectory() + "/lull-symbols-\(getpid())"
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }()

  private static let compiled = Mutex<[String: String]>([:])

  /// The file of this machine's C library, as the dynamic linker finds it.
  static func cLibrary() throws -> String {
    let words = try run(["sh", "-c", "ldd \"$(command -v sh)\""]).split(
      whereSeparator: \.isWhitespace)
    guard let path = words.first(where: { $0.hasPrefix("/") && $0.hasSuffix("/libc.so.6") }) else {
      throw Failure(description: "ldd names no C library")
    }
    return String(path)
  }

  /// A program of the Swift toolchain.
  static func toolchain(_ name: String) throws -> String {
    try run(["sh", "-c", "readlink -f \"$(command -v \(name))\""])
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Output of a tool found in PATH.
  @discardableResult
  static func run(_ arguments: [String], input: String? = nil) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    // Files, not pipes: nothing can fill up and block.
    let name = "\(directory)/\(UUID().uuidString)"
    for suffix in [".out", ".err", ".in"] {
      let text = suffix == ".in" ? (input ?? "") : ""
      try text.write(toFile: name + suffix, atomically: false, encoding: .utf8)
    }
    defer {
      for suffix in [".out", ".err", ".in"] {
        try? FileManager.default.removeItem(atPath: name + suffix)
      }
    }
    process.standardOutput = FileHandle(forWritingAtPath: name + ".out")
    process.standardError = FileHandle(forWritingAtPath: name + ".err")
    process.standardInput = FileHandle(forReadingAtPath: name + ".in")
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      let error = (try? String(contentsOfFile: name + ".err", encoding: .utf8)) ?? ""
      throw Failure(description: "\(arguments.joined(separator: " ")): \(error)")
    }
    return String(
      decoding: try Data(contentsOf: URL(fileURLWithPath: name + ".out")), as: UTF8.self)
  }

  static func hasTool(_ name: String) -> Bool {
    (try? run(["sh", "-c", "command -v \(name)"])) != nil
  }

  /// Whether perf may record a program's context switches here.
  static let canRecord: Bool = {
    let path = "\(directory)/probe.data"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let arguments = ["perf", "record", "-q", "-e", "sched:sched_switch", "-o", path, "true"]
    return (try? run(arguments)) != nil
  }()

  /// Compiles `source` and gives the path of the program.
  static func compile(_ name: String, _ source: String, _ compiler: [String], suffix: String)
    throws -> String
  {
    // The lock is held while compiling: tests run at the same time and share the programs.
    try compiled.withLock { compiled in
      let key = ([name] + compiler).joined(separator: " ")
      if let path = compiled[key] { return path }
      let base = "\(directory)/\(compiled.count)"
      try FileManager.default.createDirectory(atPath: base, withIntermediateDirectories: true)
      let file = "\(base)/\(name).\(suffix)"
      let output = "\(base)/\(name)"
      try source.write(toFile: file, atomically: true, encoding: .utf8)
      try run(compiler + [file, "-o", output])
      compiled[key] = output
      return output
    }
  }

  static func chain(_ options: String...) throws -> String {
    try compile("chain", chainText, ["swiftc"] + options, suffix: "swift")
  }

  /// Whether objcopy knows zstd, as that of binutils does since 2.40.
  static let canCompress: Bool = {
    guard let program = try? chain("-O", "-g") else { return false }
    return (try? compressed(program, by: "zstd")) != nil
  }()

  /// The program with its debug sections compressed.
  static func compressed(_ program: String, by kind: String) throws -> String {
    try compiled.withLock { compiled in
      let path = "\(program).\(kind)"
      if let path = compiled[path] { return path }
      try run(["objcopy", "--compress-debug-sections=\(kind)", program, path])
      compiled[path] = path
      return path
    }
  }

  static func waits(_ options: String...) throws -> String {
    try compile("waits", waitsSource, ["swiftc"] + options, suffix: "swift")
  }

  static func signals(_ options: String...) throws -> String {
    try compile("signals", signalsSource, ["gcc", "-O2"] + options, suffix: "c")
  }

  static let chainText = """
    @inline(never) func innermost(_ n: Int) -> UInt64 {
      var value = UInt64(truncatingIfNeeded: n)
      for index in 0..<2_000_000 {
        value = value &* 6_364_136_223_846_793_005 &+ UInt64(index)
        value ^= value >> 7
      }
      return value
    }
    @inline(never) func middle(_ n: Int) -> UInt64 {
      var total: UInt64 = 0
      for index in 0..<n { total &+= innermost(index) }
      return total &+ 1
    }
    @inline(never) func outermost(_ n: Int) -> UInt64 {
      return middle(n) &* 3 &+ 1
    }
    @inline(__always) func helper(_ n: Int) -> Int {
      var result = n
      for index in 0..<n { result ^= index &* 31 }
      return result
    }
    @inline(never) func inlining(_ n: Int) -> Int {
      helper(n) &+ helper(n &+ 1)
    }
    print(outermost(CommandLine.arguments.count * 120), inlining(7))

    """

  private static let waitsSource = """
    import Dispatch
    import Glibc

    @inline(never) func sleeps() -> Int32 { usleep(2_000) &+ 1 }
    @inline(never) func callsSleeps(_ n: Int32) -> Int32 { sleeps() &* 2 &+ n }

    @inline(never) func readsPipe(_ descriptor: Int32) -> Int {
      var byte: UInt8 = 0
      return read(descriptor, &byte, 1) &+ 1
    }
    @inline(never) func callsReadsPipe(_ descriptor: Int32) -> Int { readsPipe(descriptor) &* 3 }

    @inline(never) func waitsForSemaphore(_ semaphore: DispatchSemaphore) -> Int {
      semaphore.wait()
      return 5
    }
    @inline(never) func callsSemaphore(_ semaphore: DispatchSemaphore) -> Int {
      waitsForSemaphore(semaphore) &+ 1
    }

    var ends: [Int32] = [0, 0]
    pipe(&ends)
    let semaphore = DispatchSemaphore(value: 0)
    var total = 0
    for round in 0..<5 {
      total &+= Int(callsSleeps(Int32(round)))
      let end = ends[1]
      DispatchQueue.global().async {
        usleep(3_000)
        var byte: UInt8 = 1
        write(end, &byte, 1)
        usleep(3_000)
        semaphore.signal()
      }
      total &+= callsReadsPipe(ends[0])
      total &+= callsSemaphore(semaphore)
    }
    print(total)

    """

  private static let signalsSource = """
    #include <signal.h>
    #include <stdio.h>
    #include <unistd.h>
    volatile unsigned long total;
    __attribute__((noinline)) void burn(void) {
      for (unsigned long i = 0; i < 900000000ul; i++) total += i * i;
    }
    __attribute__((noinline)) void handler(int number) { burn(); total += number; }
    __attribute__((noinline)) int interrupted(void) { raise(SIGUSR1); return total & 1; }
    int main(void) {
      sigset_t none;
      sigemptyset(&none);
      sigprocmask(SIG_SETMASK, &none, 0);
      signal(SIGUSR1, handler);
      int result = interrupted();
      printf("%d %lu\\n", result, total);
      return 0;
    }

    """
}
