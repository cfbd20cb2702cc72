import Foundation

/// TCP sockets on 127.0.0.1.
enum Loopback {
  /// A listening socket on a port of the kernel's choice.
  static func listen() throws -> Int32 {
    let socket = try streamSocket()
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try checked(result, "bind")
    try checked(Glibc.listen(socket, 4), "listen")
    return socket
  }

  /// A connection to a socket that `listen` made.
  static func connect(to listener: Int32) throws -> Int32 {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let socket = try streamSocket()
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic -> Int32 in
        guard getsockname(listener, generic, &length) == 0 else { return -1 }
        return Glibc.connect(socket, generic, length)
      }
    }
    try checked(result, "connect")
    var on: Int32 = 1
    setsockopt(
      socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    return socket
  }

  private static func streamSocket() throws -> Int32 {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    return try checked(socket(AF_INET, type, 0), "socket")
  }

  /// Receives exactly `count` bytes; returns how many calls it took, or nil at the end of the stream.
  static func receive(_ socket: Int32, _ count: Int) throws -> Int? {
    var buffer = [UInt8](repeating: 0, count: max(count, 1))
    var done = 0
    var calls = 0
    while done < count {
      let received = recv(socket, &buffer, count - done, 0)
      if received < 0 && errno == EINTR { continue }
      try checked(received, "recv")
      if received == 0 { return nil }
      done += received
      calls += 1
    }
    return calls
  }

  /// Sends exactly `count` bytes; returns how many calls it took.
  static func send(_ socket: Int32, _ count: Int) throws -> Int {
    let buffer = [UInt8](repeating: 120, count: count)
    var done = 0
    var calls = 0
    while done < count {
      let sent = Glibc.send(
        socket, Array(buffer[done...]), count - done, Int32(MSG_NOSIGNAL))
      if sent < 0 && errno == EINTR { continue }
      try checked(sent, "send")
      done += sent
      calls += 1
    }
    return calls
  }
}
