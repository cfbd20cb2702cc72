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
    let number = inode(connection.near)
    // Of pipes, whose other ends tell when these are closed: their numbers may soon be another test's.
    let pipes = (0..<4).map { _ in openPipe() }
    defer { for pipe in pipes { close(pipe.reading) } }
    let others = pipes.map(\.writing)

    let closer = Closer("test")
    closer.close([connection.near])
    closer.close(others[..<2])
    closer.close(others[2...])
    // The close has begun where the number is no more the connection's.
    let deadline = ContinuousClock.now + .seconds(10)
    while inode(connection.near) == number, ContinuousClock.now < deadline { usleep(1000) }
    let start = ContinuousClock.now
    let rest = closer.takeRest()
    #expect(ContinuousClock.now - start < .milliseconds(500))
    #expect(rest == others)
    #expect(!pipes.contains { isEnded($0.reading) })
    #expect(closer.takeRest().isEmpty)
    closer.close(rest)
    closer.finish()
    #expect(pipes.allSatisfy { isEnded($0.reading) })
  }

  private func inode(_ descriptor: Int32) -> UInt64? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? UInt64(status.st_ino) : nil
  }

  private func openPipe() -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    pipe(&ends)
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    return (ends[0], ends[1])
  }

  /// Whether no writing end of a pipe is open any more.
  private func isEnded(_ reading: Int32) -> Bool {
    var byte: UInt8 = 0
    return read(reading, &byte, 1) == 0
  }
}
