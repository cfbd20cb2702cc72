import Glibc
import Testing

@testable import Recording

@Suite struct `Closing beside the recording` {
  @Test func `what is not closed yet is given up, and not waited for`() throws {
    // A close that takes two seconds: of a connection with something unsent, that lingers.
    let connection = try LoopbackConnection()
    defer { close(connection.far) }
    let bytes = [UInt8](repeating: 0, count: 1 << 16)
    while send(connection.near, bytes, bytes.count, Int32(MSG_DONTWAIT)) > 0 {}
    var lingering = linger(l_onoff: 1, l_linger: 2)
    setsockopt(
      connection.near, SOL_SOCKET, SO_LINGER, &lingering, socklen_t(MemoryLayout<linger>.size))
    let others = (0..<4).map { _ in open("/dev/null", O_RDONLY) }

    let closer = Closer("test")
    closer.close([connection.near])
    closer.close(others[..<2])
    closer.close(others[2...])
    usleep(100_000)
    let start = ContinuousClock.now
    let rest = closer.takeRest()
    #expect(ContinuousClock.now - start < .milliseconds(500))
    #expect(rest == others)
    #expect(rest.allSatisfy { fcntl($0, F_GETFD) >= 0 })
    #expect(closer.takeRest().isEmpty)
    closer.close(rest)
    closer.finish()
    #expect(rest.allSatisfy { fcntl($0, F_GETFD) < 0 })
  }
}
