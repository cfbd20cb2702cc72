import CPerfEvent
import Glibc

/// What the kernel tells of the sockets of a network namespace.
protocol SocketTable: AnyObject {
  /// All sockets of a family and a protocol; nil where it does not tell.
  func list(_ family: Int32, _ protocol: Int) -> [lull_socket]?
  /// TCP sockets that ended since the last call, and whether it had to forget others.
  func ended() -> (sockets: [lull_socket], areMissing: Bool)
  /// Waits for the end of another, for so many milliseconds at most.
  func awaitEnd(milliseconds: Int32)
}

/// As NETLINK_SOCK_DIAG tells it.
final class KernelSocketTable: SocketTable {
  private let request: OwnedDescriptor
  private let endings: OwnedDescriptor?
  private var buffer = [lull_socket](repeating: lull_socket(), count: 256)

  /// Why it cannot be asked.
  struct Refusal: Error {
    var errno: Int32
  }

  init() throws(Refusal) {
    let (opened, ends) = (lull_sockets_open(0), lull_sockets_open(1))
    endings = ends >= 0 ? OwnedDescriptor(ends) : nil
    guard opened >= 0 else { throw Refusal(errno: -opened) }
    request = OwnedDescriptor(opened)
  }

  func list(_ family: Int32, _ protocol: Int) -> [lull_socket]? {
    while true {
      let count = lull_sockets_list(
        request.number, family, Int32(`protocol`), &buffer, buffer.count)
      guard count >= 0 else { return nil }
      if count <= buffer.count { return Array(buffer[..<count]) }
      buffer = [lull_socket](repeating: lull_socket(), count: count * 2)
    }
  }

  func ended() -> (sockets: [lull_socket], areMissing: Bool) {
    guard let endings else { return ([], true) }
    var (sockets, areMissing): ([lull_socket], Bool) = ([], false)
    while true {
      let count = lull_sockets_ended(endings.number, &buffer, buffer.count)
      if count == -Int(ENOBUFS) {
        // There was no room for some; those that there was room for come next.
        areMissing = true
        continue
      }
      guard count > 0 else { return (sockets, areMissing) }
      sockets += buffer[..<count]
    }
  }

  func awaitEnd(milliseconds: Int32) {
    guard let endings else { return }
    var polled = pollfd(fd: endings.number, events: Int16(POLLIN), revents: 0)
    _ = poll(&polled, 1, milliseconds)
  }
}
