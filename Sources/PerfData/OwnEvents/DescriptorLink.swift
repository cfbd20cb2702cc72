/// A path by which what a descriptor stands for is opened once more: `/dev/stdout`, `/dev/fd/5`, `/proc/self/fd/5`.
package struct DescriptorLink: Equatable, Sendable {
  /// Whose descriptor it is; nil is the process's that opens it.
  package var pid: Int32?
  package var fd: Int

  package init?(path: String) {
    if let fd = ["/dev/stdin", "/dev/stdout", "/dev/stderr"].firstIndex(of: path) {
      (pid, self.fd) = (nil, fd)
      return
    }
    let parts = path.split(separator: "/")
    guard path.hasPrefix("/"), let last = parts.last.flatMap({ Int32($0) }), last >= 0 else {
      return nil
    }
    fd = Int(last)
    switch parts.dropLast() {
    case ["dev", "fd"], ["proc", "self", "fd"], ["proc", "thread-self", "fd"]: pid = nil
    default:
      guard parts.count == 4, parts[0] == "proc", parts[2] == "fd", let pid = Int32(parts[1])
      else { return nil }
      self.pid = pid
    }
  }
}
