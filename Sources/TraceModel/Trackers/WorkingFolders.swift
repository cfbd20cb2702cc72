import PerfData

/// Where processes work, by which a file that is named from there on is the same as by its whole path.
///
/// The recorder tells it as it looks; from a change until then it is not known, and names are left as they are.
struct WorkingFolders {
  private var folders: [Int32: String] = [:]

  /// linux/fcntl.h.
  static let current = -100

  mutating func told(_ pid: Int32, _ folder: String) {
    folders[pid] = folder.hasPrefix("/") ? folder : nil
  }

  mutating func forked(_ child: Int32, from parent: Int32) {
    if child != parent { folders[child] = folders[parent] }
  }

  /// The process works elsewhere, or may do so.
  mutating func left(_ pid: Int32) { folders[pid] = nil }

  subscript(pid: Int32) -> String? { folders[pid] }

  /// The whole path of a file that is named from a folder on; nil where only the file system could tell.
  static func whole(_ path: String, in folder: String) -> String? {
    guard folder.hasPrefix("/"), !path.isEmpty else { return nil }
    var parts = folder.split(separator: "/")
    var rest = path.split(separator: "/").filter { $0 != "." }[...]
    // The folder is told without links, so that its own parents are where its path says; those of others may not be.
    while rest.first == ".." {
      rest.removeFirst()
      if !parts.isEmpty { parts.removeLast() }
    }
    guard !rest.contains("..") else { return nil }
    return "/" + (parts + rest).joined(separator: "/")
  }
}
