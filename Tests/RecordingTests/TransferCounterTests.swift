import Glibc
import PerfData
import Testing

@testable import Recording

/// A new one; nil where the kernel does not let us.
private func makeCounter() -> TransferCounter? {
  TransferCounter()
}

/// Counts what this process does: others that run at the same time are not its children.
@Suite(
  .serialized,
  .enabled(if: geteuid() == 0 && makeCounter() != nil, "needs root and BPF"))
struct TransferCounterTests {
  @Test func `a process's transfers count from the beginning to the end, and no others`() throws {
    let counter = try #require(makeCounter())
    let connection = try LoopbackConnection()
    defer { connection.close() }
    counter.began(getpid())
    connection.send(5)
    _ = try #require(counter.begin(.send))
    _ = try #require(counter.begin(.receive))
    for _ in 0..<40 { connection.send(10) }
    connection.receive(3, flags: Int32(MSG_PEEK))
    for _ in 0..<81 { connection.receive(5) }
    // One that has nothing to give, and sockets that are not of the internet.
    var byte: UInt8 = 0
    #expect(recv(connection.far, &byte, 1, Int32(MSG_DONTWAIT)) == -1)
    var pair: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
    #expect(send(pair[0], &byte, 1, 0) == 1)
    for descriptor in pair { close(descriptor) }
    try #require(counter.end(.send) != nil)
    connection.send(9)

    let own = getpid()
    let sent = try #require(counter.take(.send))
    #expect(sent[own]?.transfers == 40 && sent[own]?.bytes == 400, "\(sent)")
    #expect((sent[own]?.calls ?? 0) >= 41)
    let received = try #require(counter.take(.receive))
    #expect(received[own]?.transfers == 81 && received[own]?.bytes == 405, "\(received)")
    #expect((received[own]?.calls ?? 0) >= 83)
    // What was taken is not given again.
    #expect(counter.take(.send)?[own]?.transfers == 0)
  }

  /// Sends so many datagrams of 2 bytes, each by a program's own child where that is asked for.
  private func datagrams(_ count: Int, inChildren: Bool) throws -> pid_t {
    var pid: pid_t = 0
    let send = "echo x > /dev/udp/127.0.0.1/9"
    let once = inChildren ? "(\(send))" : send
    let arguments = ["bash", "-c", "for i in {1..\(count)}; do \(once); done"]
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
    words.append(nil)
    defer { for word in words { free(word) } }
    try #require(posix_spawnp(&pid, "bash", nil, nil, &words, nil) == 0)
    var status: Int32 = 0
    try #require(waitpid(pid, &status, 0) == pid && status == 0)
    return pid
  }

  @Test func `processes that are created meanwhile are counted too, those of others are not`()
    throws
  {
    let stranger = try #require(makeCounter())
    _ = try #require(stranger.begin(.send))
    let counter = try #require(makeCounter())
    counter.began(getpid())
    _ = try #require(counter.begin(.send))
    let bash = try datagrams(20, inChildren: false)
    counter.began(bash)
    counter.ended(bash)
    _ = try datagrams(7, inChildren: true)
    let sent = try #require(counter.take(.send))
    #expect(sent[bash] == TransferCounter.Count(calls: 20, transfers: 20, bytes: 40))
    let others = sent.filter { $0.key != bash && $0.key != getpid() && $0.value.transfers > 0 }
    #expect(others.count == 7)
    #expect(others.values.allSatisfy { $0.transfers == 1 && $0.bytes == 2 }, "\(others)")
    #expect(stranger.take(.send)?.isEmpty == true)
    // What has ended, and was taken, is kept no longer.
    let later = try #require(counter.take(.send))
    #expect(later[bash] == nil && others.keys.allSatisfy { later[$0]?.transfers == 0 }, "\(later)")
  }
}
