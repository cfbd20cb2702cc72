/// Why a module file could not be used; its description is one line for the user.
public enum ModuleReaderError: Error, Hashable, CustomStringConvertible, Sendable {
  /// The file cannot be opened; `errno` text is included.
  case unreadable(path: String, reason: String)
  /// The file is not an ELF file that Lull understands.
  case unsupported(path: String, reason: String)
  /// The file on disk is not the one that was mapped when the trace was taken.
  case changed(path: String, expected: [UInt8], found: [UInt8])
  /// Another file has taken the place of the one that was mapped, and neither has a build id.
  case replaced(path: String)

  /// What is the matter with the file; nil where it is another one.
  var reason: String? {
    switch self {
    case .unreadable(_, let reason), .unsupported(_, let reason): reason
    case .changed, .replaced: nil
    }
  }

  public var description: String {
    switch self {
    case .unreadable(let path, let reason), .unsupported(let path, let reason):
      "\(path): \(reason); its frames are shown as module and offset"
    case .changed(let path, let expected, let found):
      "\(path) changed since the recording (build id "
        + (found.isEmpty ? "none" : BuildID.text(found))
        + ", recorded \(BuildID.text(expected))); its frames are shown as module and offset"
    case .replaced(let path):
      "\(path) was replaced while it was recorded, by a file of the same name; its frames are shown as module and"
        + " offset"
    }
  }
}
