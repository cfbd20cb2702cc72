import Glibc
import Testing

/// Two ends of a connection over the loopback device.
struct LoopbackConnection {
  var near: Int32
  var far: Int32

  init() throws {
    let stream = Int32(SOCK_STREAM.rawValue)
    let listener = socket(AF_INET, stream, 0)
    defer { Glibc.close(listener) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    near = socket(AF_INET, stream, 0)
    let near = near
    var isConnected = false
    withUnsafeMutableBytes(of: &address) { bytes in
      guard let generic = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else {
        return
      }
      isConnected =
        bind(listener, generic, size) == 0 && listen(listener, 1) == 0
        && getsockname(listener, generic, &size) == 0 && connect(near, generic, size) == 0
    }
    try #require(isConnected)
    far = accept(listener, nil, nil)
    try #require(far >= 0)
  }

  func close() {
    Glibc.close(near)
    Glibc.close(far)
  }

  func send(_ count: Int) {
    let bytes = [UInt8](repeating: 1, count: count)
    #expect(Glibc.send(near, bytes, count, 0) == count)
  }

  func receive(_ count: Int, flags: Int32 = 0) {
    var bytes = [UInt8](repeating: 0, count: count)
    #expect(recv(far, &bytes, count, flags) == count)
  }
}
