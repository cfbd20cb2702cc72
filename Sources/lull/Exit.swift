import ArgumentParser
import Budgets
import Files
import Glibc
import PerfData
import Recording
import Reporting
import Signals
import TraceModel

/// Why Lull stops with an error: the status to exit with, and what to say.
struct Failure: Error {
  var status: Int32
  var message: String
}

/// Statuses and how each error comes to one.
enum Exit {
  /// A budget is broken, or a change for the worse is certain.
  static let overBudget: Int32 = 2
  /// Something that is asked for could not be measured.
  static let inconclusive: Int32 = 3
  /// There is nothing of what was asked for: an export would be empty.
  static let empty: Int32 = 4
  static let usage: Int32 = 64
  static let badTrace: Int32 = 65
  static let inputOutput: Int32 = 74
  static let permission: Int32 = 77
  /// `record` itself failed; the statuses below belong to the command it wraps.
  static let recordFailed: Int32 = 125

  /// Says what happened and leaves.
  static func with(_ error: any Error) -> Never {
    if let code = error as? ExitCode { exit(code.rawValue) }
    let isRecord = CommandLine.arguments.dropFirst().first == "record"
    guard let failure = failure(of: error) else {
      // The argument parser's own: help, version, and errors of usage.
      let message = Lull.fullMessage(for: error)
      guard Lull.exitCode(for: error).isSuccess else {
        let hint = "\n  The command to record comes after --, as in: lull record -- ls -l"
        Console.lines(
          message + (isRecord && !CommandLine.arguments.contains("--") ? hint : ""))
        exit(isRecord ? recordFailed : usage)
      }
      if !message.isEmpty { Console.output(message.hasSuffix("\n") ? message : message + "\n") }
      exit(0)
    }
    Console.error(StandardInput.named(in: failure.message))
    let isOwn = isRecord && failure.status != 126 && failure.status != 127
    exit(isOwn ? recordFailed : failure.status)
  }

  /// The status of a check.
  static func status(of verdict: BudgetVerdict) -> Int32 {
    switch verdict {
    case .pass: 0
    case .fail: overBudget
    case .inconclusive, .notApplicable: inconclusive
    }
  }

  static func failure(of error: any Error) -> Failure? {
    switch error {
    case let failure as Failure: failure
    case let error as TraceError: trace(error)
    case let error as PerfDataError: Failure(status: status(error), message: "\(error)")
    case let error as OutputFileError:
      Failure(status: outputStatus(error.code), message: error.description)
    case let error as FolderError:
      Failure(status: status(errno: error.code), message: error.description)
    case let error as BudgetFileError: Failure(status: usage, message: error.description)
    case let error as RadioProfileError: Failure(status: usage, message: error.description)
    case let error as RecordingError: recording(error)
    default: nil
    }
  }

  private static func recording(_ error: RecordingError) -> Failure {
    let status: Int32 =
      switch error.kind {
      case .commandNotFound: 127
      case .commandNotExecutable: 126
      case .permission: permission
      case .io: inputOutput
      case .usage: usage
      default: recordFailed
      }
    return Failure(status: status, message: error.message)
  }

  private static func trace(_ error: TraceError) -> Failure {
    guard let cause = error.cause else {
      return Failure(status: badTrace, message: error.description)
    }
    var message = error.description
    switch cause.reason {
    case .system(_, _, let code):
      // The path is in the reader's own line already.
      message = cause.description
      switch code {
      case ENOENT: message += "; check the path of the trace"
      case EACCES, EPERM: message += "; ask its owner, or run as a user who may read it"
      case EISDIR: message += "; give the perf.data file in it"
      default: break
      }
    case .notWritable: break
    case .unsupported:
      if cause.description.hasPrefix("/") || cause.description.contains(" is not a regular file") {
        message = cause.description
      }
    default:
      message +=
        error.path.flatMap(program).map {
          "; it is a program: record it with `lull record -o run.perf.data -- \($0)`, and give run.perf.data"
        } ?? "; give a trace that `lull record` or `perf record` made"
    }
    return Failure(status: status(cause), message: message)
  }

  /// The path, if a shell would run what is there. On some file systems all files have the right to be run.
  private static func program(_ path: String) -> String? {
    guard access(path, X_OK) == 0,
      let start = OwnedDescriptor(opening: path)?.readToEnd(limit: 4)
    else { return nil }
    let isProgram = start.starts(with: [0x7f] + Array("ELF".utf8)) || start.starts(with: "#!".utf8)
    return isProgram ? path : nil
  }

  private static func status(_ error: PerfDataError) -> Int32 {
    switch error.reason {
    case .system(_, _, let code): status(errno: code)
    case .notWritable: inputOutput
    default: badTrace
    }
  }

  /// A name that is taken or a folder was the caller's choice; all else is the system's.
  private static func outputStatus(_ code: Int32) -> Int32 {
    switch code {
    case EACCES, EPERM, EROFS: permission
    default: inputOutput
    }
  }

  private static func status(errno code: Int32) -> Int32 {
    switch code {
    case EACCES, EPERM: permission
    case EISDIR: badTrace
    default: inputOutput
    }
  }
}
