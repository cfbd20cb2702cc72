import Foundation
import TestSupport

/// How a program ended and what it printed.
struct CommandResult {
  let status: Int32
  let signal: Int32?
  let output: Data
  let errors: String
  let seconds: Double

  var text: String { String(decoding: output, as: UTF8.self) }
}

/// A program that a test started, its output kept in files.
final class Command {
  let pid: pid_t
  private let folder: Scratch
  private let start: Double
  private var reaped = false

  /// Starts a program found on the search path or by its path.
  init(
    _ words: [String], input: String? = nil, environment: [String: String] = [:],
    settles: Bool = true
  ) throws {
    // A recorder waits for that before it starts a command: here it is no part of what a test times.
    if settles, words.contains(Machine.lull), words.contains("record"), !words.contains("--pid") {
      EarlierRecordings.settle()
    }
    // In memory: what a program prints is not to be among what it wrote to disk.
    folder = try Scratch(in: access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/var/tmp")
    try Data((input ?? "").utf8).write(to: URL(fileURLWithPath: folder.file("in")))
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, folder.file("in"), O_RDONLY, 0)
    for (descriptor, name) in [(Int32(1), "out"), (2, "err")] {
      posix_spawn_file_actions_addopen(
        &actions, descriptor, folder.file(name), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0o600)
    }
    // Dispatch's threads block every signal, and a mask is inherited: perf would miss its child's end.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var noSignals = sigset_t()
    sigemptyset(&noSignals)
    posix_spawnattr_setsigmask(&attributes, &noSignals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    var arguments = words.map { strdup($0) } + [nil]
    var names = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in arguments + names { free(text) } }
    var child: pid_t = 0
    let failure = posix_spawnp(&child, words.first ?? "", &actions, &attributes, &arguments, &names)
    guard failure == 0 else { throw CommandFailure(words: words, reason: failure) }
    pid = child
    start = Command.now
  }

  deinit {
    guard !reaped else { return }
    kill(pid, SIGKILL)
    waitpid(pid, nil, 0)
  }

  var outputSoFar: String { read("out") }

  /// Waits for the end, which is forced once the limit has passed.
  func finish(limit: Double = 90) throws -> CommandResult {
    var status: Int32 = 0
    while true {
      let result = waitpid(pid, &status, WNOHANG)
      if result == pid || (result < 0 && errno != EINTR) { break }
      if Command.now - start > limit {
        kill(pid, SIGKILL)
        waitpid(pid, &status, 0)
        reaped = true
        throw CommandTimeout(limit: limit, errors: read("err"))
      }
      usleep(5000)
    }
    reaped = true
    let signal = status & 0x7f
    return CommandResult(
      status: signal == 0 ? (status >> 8) & 0xff : -1, signal: signal == 0 ? nil : signal,
      output: (try? Data(contentsOf: URL(fileURLWithPath: folder.file("out")))) ?? Data(),
      errors: read("err"), seconds: Command.now - start)
  }

  /// Runs a program to its end.
  static func run(
    _ words: [String], input: String? = nil, environment: [String: String] = [:],
    limit: Double = 90
  ) throws -> CommandResult {
    try Command(words, input: input, environment: environment)
      .finish(limit: limit)
  }

  private func read(_ name: String) -> String {
    String(
      decoding: (try? Data(contentsOf: URL(fileURLWithPath: folder.file(name)))) ?? Data(),
      as: UTF8.self)
  }

  private static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

struct CommandFailure: Error {
  let words: [String]
  let reason: Int32
}

struct CommandTimeout: Error {
  let limit: Double
  let errors: String
}
