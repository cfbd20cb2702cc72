import Glibc

/// Where a command's file is, and whose process it becomes.
enum ProgramFile {
  /// The file that a shell would run for a command; nil when there is none.
  static func path(of command: String) -> String? {
    if command.contains("/") { return access(command, X_OK) == 0 ? absolute(command) : nil }
    let directories = getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
    for directory in directories.split(separator: ":") {
      let candidate = "\(directory)/\(command)"
      if access(candidate, X_OK) == 0 { return absolute(candidate) }
    }
    return nil
  }

  private static func absolute(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// The user that a process runs as.
  static func owner(pid: Int32) -> uid_t? {
    var information = stat()
    return stat("/proc/\(pid)", &information) == 0 ? information.st_uid : nil
  }
}
