import ArgumentParser
import Glibc
import Quantities
import Recording
import Reporting

/// `lull top`: the five signals of a running process, now and over the last minute.
struct TopCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "top",
    abstract: "Show what a running process costs, now and over the last minute.",
    usage: """
      lull top [options]
      lull top [options] PID|NAME
      lull top [options] -- COMMAND [ARG...]
      """,
    discussion: """
      Without a process it lists all Swift processes, of which one is chosen. \
      Keys: q ends it; s orders the threads by something else; up and down choose a thread, whose waits are shown; \
      space freezes the screen; w writes the last minute, or what --last says, as a trace. \
      What a command prints goes nowhere: give it a file.
      """)

  @Option(
    help: ArgumentHelp(
      "The process, by its id or its program's name.", valueName: "pid|name"),
    transform: RunningProcess.init)
  var pid: RunningProcess?

  @Option(
    help: "How often to look, 2s by default; more rarely where reading takes long.",
    transform: DurationArgument.parse)
  var interval: TimeSpan?

  @Option(
    help: "When to end; by default with the process.", transform: DurationArgument.parse)
  var duration: TimeSpan?

  @Option(
    help: ArgumentHelp("How much w writes; 60s by default, 10m at most.", valueName: "60s"),
    transform: DurationArgument.parse)
  var last: TimeSpan?

  @Flag(help: "Print a row of figures at a time, for logs; the default where there is no terminal.")
  var plain = false

  @OptionGroup var analysis: AnalysisOptions

  @OptionGroup var log: LogOptions

  @Argument(
    help: ArgumentHelp("The process, by its id or its program's name.", valueName: "pid|name"),
    transform: RunningProcess.init)
  var process: RunningProcess?

  @Argument(parsing: .postTerminator, help: "The command to start and to look at.")
  var command: [String] = []

  func validate() throws {
    let given = [pid != nil, process != nil, !command.isEmpty].count { $0 }
    guard given <= 1 else {
      throw ValidationError("give one process by its id or its name, or a command after --.")
    }
    if let interval, interval < TimeSpan(nanoseconds: 100_000_000) {
      throw ValidationError("--interval must be 100ms or more.")
    }
    if let last, last < TimeSpan(seconds: 1) || last > TimeSpan(seconds: 600) {
      throw ValidationError("--last must be from 1s to 10m.")
    }
  }

  func run() throws {
    Console.ignoreBrokenPipes()
    let known = try (pid ?? process)?.get()
    let started = command.isEmpty ? nil : try Subprogram(command, log: "/dev/null")
    defer { if let started, started.isRunning { started.stop() } }
    Interruption.watch()
    var terminal = plain ? nil : Terminal()
    guard let target = try known ?? started?.pid ?? chosen(terminal) else { return }
    let recording = try LiveRecording(
      pid: target, options: analysis, written: last?.seconds ?? 60)
    defer { recording.stop() }
    var session = TopSession(
      recording: recording, terminal: terminal,
      interval: interval?.seconds ?? 2, duration: duration?.seconds)
    let end = try session.run()
    // The terminal is the shell's again before anything is said.
    session.terminal = nil
    terminal = nil
    switch end {
    case .asked: return
    case .signal(let number): if number != SIGINT { throw ExitCode(128 + number) }
    case .processEnded:
      Console.notice(
        "process \(target) is recorded no more: \(recording.lastWords ?? "it has ended")")
    }
  }

  /// The process that is chosen from the list; nil where none is, or where there is no terminal to choose in.
  private func chosen(_ terminal: Terminal?) throws -> Int32? {
    guard let terminal else {
      Console.output(ProcessChoice.plain())
      return nil
    }
    let choice = ProcessChoice(terminal: terminal, interval: interval?.seconds ?? 2).run()
    if let signal = choice.signal, signal != SIGINT { throw ExitCode(128 + signal) }
    return choice.pid
  }
}
