import Files
import Glibc
import Reporting

/// Where the recordings of a command are kept while it works, or for good.
struct WorkFolder {
  let path: String
  /// Whether it was not there before.
  let isNew: Bool
  private let isKept: Bool

  /// The folder that was asked for, or one that is gone afterwards.
  init(_ asked: String?) throws {
    if let asked {
      isNew = mkdir(asked, 0o755) == 0
      guard isNew || errno == EEXIST else { throw Self.failure(asked) }
      // What could never be written into is told now, not when there is something to keep.
      guard access(asked + "/.", W_OK | X_OK) == 0 else {
        throw Self.failure(asked, "cannot write into")
      }
      // One that was there keeps its owner.
      if isNew { InvokingUser.own(asked) }
      guard let absolute = realpath(asked, nil) else { throw Self.failure(asked) }
      defer { free(absolute) }
      // Recorders may run elsewhere, so a relative name would mean another folder to them.
      (path, isKept) = (String(cString: absolute), true)
      return
    }
    path = try Self.temporary()
    (isKept, isNew) = (false, true)
    // Under sudo the recorded command is another user's, who must be able to get here.
    InvokingUser.own(path)
  }

  /// A name in the folder that is not taken.
  func file(_ name: String) -> String {
    var candidate = "\(path)/\(name).perf.data"
    var number = 2
    while access(candidate, F_OK) == 0 {
      candidate = "\(path)/\(name)-\(number).perf.data"
      number += 1
    }
    return candidate
  }

  /// Removes a folder that was not asked for.
  func finish() {
    if !isKept { Folder.remove(path) }
  }

  private static func temporary() throws -> String {
    let base = TemporaryFolder.path
    var template = Array((base + "/lull-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil, let absolute = realpath(template, nil) else {
      var failure = Self.failure(base)
      failure.message += "; set TMPDIR to a folder that may be written"
      throw failure
    }
    defer { free(absolute) }
    return String(cString: absolute)
  }

  private static func failure(
    _ path: String, _ cannot: String = "cannot make a folder at"
  ) -> Failure {
    Failure(
      status: errno == EACCES ? Exit.permission : Exit.inputOutput,
      message: "\(cannot) \(path): \(String(cString: strerror(errno)))")
  }
}
