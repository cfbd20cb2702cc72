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
      // One that was there keeps its owner.
      if isNew { InvokingUser.own(asked) }
      guard let absolute = realpath(asked, nil) else { throw Self.failure(asked) }
      defer { free(absolute) }
      // Recorders may run elsewhere, so a relative name would mean another folder to them.
      (path, isKept) = (String(cString: absolute), true)
      return
    }
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array((base + "/lull-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { throw Self.failure(base) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
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

  private static func failure(_ path: String) -> Failure {
    Failure(
      status: errno == EACCES ? Exit.permission : Exit.inputOutput,
      message: "cannot make a folder at \(path): \(String(cString: strerror(errno)))")
  }
}
