import Glibc

/// Messages on a stream socket, each behind its length in eight bytes.
enum SocketMessage {
  /// Sends a message; false when the other side is gone or does not read in time.
  static func send(_ socket: Int32, _ message: [UInt8], deadline: Double?) -> Bool {
    var header = WireWriter()
    header.put(UInt64(message.count))
    return sendAll(socket, header.bytes, deadline) && sendAll(socket, message, deadline)
  }

  /// The next message; nil when the other side is gone, is too slow or sends more than `limit` bytes.
  static func receive(_ socket: Int32, limit: Int, deadline: Double?) -> [UInt8]? {
    guard let header = receiveAll(socket, 8, deadline) else { return nil }
    var reader = WireReader(header)
    guard let count = try? reader.number(UInt64.self), count <= UInt64(limit) else { return nil }
    return receiveAll(socket, Int(count), deadline)
  }

  private static func sendAll(_ socket: Int32, _ bytes: [UInt8], _ deadline: Double?) -> Bool {
    bytes.withUnsafeBytes { all in
      var done = 0
      while done < all.count {
        guard wait(socket, POLLOUT, deadline) else { return false }
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        let count = Glibc.send(socket, all.baseAddress.map { $0 + done }, all.count - done, flags)
        if count < 0 {
          if errno == EINTR || errno == EAGAIN { continue }
          return false
        }
        done += count
      }
      return true
    }
  }

  private static func receiveAll(_ socket: Int32, _ count: Int, _ deadline: Double?) -> [UInt8]? {
    var isWhole = true
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      var done = 0
      while done < count {
        guard wait(socket, POLLIN, deadline) else { break }
        let got = recv(socket, buffer.baseAddress.map { $0 + done }, count - done, 0)
        if got < 0, errno == EINTR { continue }
        guard got > 0 else { break }
        done += got
      }
      filled = done
      isWhole = done == count
    }
    return isWhole ? bytes : nil
  }

  private static func wait(_ socket: Int32, _ events: Int32, _ deadline: Double?) -> Bool {
    guard let deadline else { return true }
    while true {
      let left = deadline - now()
      guard left > 0 else { return false }
      var polled = pollfd(fd: socket, events: Int16(events), revents: 0)
      let ready = poll(&polled, 1, Int32(min(left * 1000 + 1, 60_000)))
      if ready > 0 { return true }
      if ready < 0, errno != EINTR { return false }
    }
  }

  /// Seconds of CLOCK_MONOTONIC.
  static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
