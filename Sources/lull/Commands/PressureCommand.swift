import ArgumentParser
import Glibc
import Recording

/// `lull pressure`: tell a program that memory is short, as a phone's simulator does.
struct PressureCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pressure", abstract: "Tell a program that memory is short.",
    discussion: """
      Puts a mark into the recording, so that memory-warning-response can score what the program \
      frees within 5 s, and makes memory short for a moment where the process is alone in its \
      memory cgroup: the cgroup's limit goes to 90 % of what is used (critical: 70 %) and back, and \
      the kernel tells whoever listens to the cgroup's pressure (memory.pressure, memory.pressure_level). \
      With --signal the program gets that signal too, for one that listens to a signal.
      """)

  @Argument(help: "The process.")
  var pid: Int32

  @Option(
    help: "How short: warning or critical.", completion: .values(MemoryPressure.Level.self),
    transform: Self.level)
  var level = MemoryPressure.Level.warning

  @Option(help: "A signal to send as well, such as USR2.", transform: Self.signal)
  var signal: Int?

  @Sendable static func level(_ name: String) throws -> MemoryPressure.Level {
    guard let level = MemoryPressure.Level(rawValue: name) else {
      throw ValidationError("there is no level “\(name)”; write warning or critical.")
    }
    return level
  }

  @Sendable static func signal(_ name: String) throws -> Int {
    guard let number = SignalMark.number(name) else {
      throw ValidationError("there is no signal “\(name)”; write for example USR2.")
    }
    return number
  }

  func validate() throws {
    if pid <= 1 { throw ValidationError("the process must be above one; `ps` lists processes.") }
  }

  func run() throws {
    guard kill(pid, 0) == 0 || errno == EPERM else {
      throw Failure(status: Exit.usage, message: "there is no process \(pid)")
    }
    var did: [String] = []
    do {
      try MarkMessage(pid: pid, how: "pressure", name: "memory-pressure-\(level.rawValue)").send()
      did.append("marked in the recording")
    } catch {
      Console.notice("no mark: \(error.message)")
    }
    switch MemoryPressure.apply(to: pid, level: level) {
    case .applied(let how): did.append(how)
    case .refused(let reason): Console.notice("memory was not made short: \(reason)")
    }
    if let signal {
      guard kill(pid, Int32(signal)) == 0 else {
        throw Failure(
          status: Exit.permission,
          message:
            "signal \(signal) could not be sent to process \(pid): \(String(cString: strerror(errno)))"
        )
      }
      did.append("signal \(signal) sent")
    }
    guard !did.isEmpty else {
      throw Failure(
        status: Exit.permission,
        message: "process \(pid) was not told: record it, give it a memory cgroup of its own, or "
          + "give --signal")
    }
    Console.notice("process \(pid): " + did.joined(separator: ", "))
  }
}
