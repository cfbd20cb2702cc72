import Glibc

/// The desktop's own way to open a file.
enum Viewer {
  /// Starts the user's browser; false where there is none to start.
  static func open(_ path: String) -> Bool {
    var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("xdg-open"), strdup(path), nil]
    defer { for argument in arguments { free(argument) } }
    var pid: pid_t = 0
    guard posix_spawnp(&pid, "xdg-open", nil, nil, &arguments, environ) == 0 else { return false }
    var status: Int32 = 0
    guard waitpid(pid, &status, 0) == pid else { return false }
    return status == 0
  }
}
