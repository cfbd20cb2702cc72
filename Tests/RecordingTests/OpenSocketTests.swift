import Testing

@testable import Recording

extension KernelSockets {
  fileprivate static var isThere: Bool { (try? KernelSockets()) != nil }
}

@Suite struct OpenSocketTests {
  private static let opener = """
    import socket, sys
    a = socket.socket(); a.bind(('127.0.0.1', 0)); a.listen(1)
    b = socket.socket(); b.connect(a.getsockname()); c, _ = a.accept()
    d = socket.socket(socket.AF_INET6); d.bind(('::1', 0)); d.listen(1)
    e = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); e.connect(('127.0.0.2', 53))
    f = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); f.bind(('127.0.0.1', 0))
    g, h = socket.socketpair()
    print(*[s.fileno() for s in (a, b, c, d, e, f)], *[s.getsockname()[1] for s in (a, b, d)], flush=True)
    sys.stdin.readline()
    """

  @Test func `the sockets of a process have their ends and states`() throws {
    let child = try #require(Bystander(["python3", "-c", Self.opener]))
    defer { child.end() }
    let words = child.line().split(separator: " ").compactMap { Int($0) }
    try #require(words.count == 9)
    // It may have others, which its caller left it.
    let sockets = OpenSocket.all(of: child.pid).filter {
      words.prefix(6).contains(Int($0.descriptor))
    }
    #expect(sockets.count == 6)
    func socket(_ index: Int) throws -> OpenSocket {
      try #require(sockets.first { $0.descriptor == Int32(words[index]) })
    }
    let (listener, client, server) = (try socket(0), try socket(1), try socket(2))
    let (port, clientPort) = (UInt16(words[6]), UInt16(words[7]))
    #expect(listener.state == SocketState.listening.rawValue && listener.transport == 6)
    #expect(listener.own == SocketName(address: [127, 0, 0, 1], port: port))
    #expect(client.state == SocketState.established.rawValue)
    #expect(client.own == SocketName(address: [127, 0, 0, 1], port: clientPort))
    #expect(client.peer == listener.own && server.peer == client.own && server.own == client.peer)
    let six = try socket(3)
    let loopback = [UInt8](repeating: 0, count: 15) + [1]
    #expect(six.own == SocketName(address: loopback, port: UInt16(words[8])))
    let (connected, bound) = (try socket(4), try socket(5))
    #expect(connected.transport == 17 && connected.state == SocketState.established.rawValue)
    #expect(connected.peer == SocketName(address: [127, 0, 0, 2], port: 53))
    #expect(bound.transport == 17 && bound.state == SocketState.closed.rawValue)
    let ports = SocketFilter.listeningPorts(pid: child.pid)
    #expect(ports.isSuperset(of: [port, UInt16(words[8])]) && !ports.contains(clientPort))
  }

  @Test(.enabled(if: KernelSockets.isThere, "the kernel takes no program that goes through files"))
  func `the kernel tells the same ones, with its addresses`() throws {
    let child = try #require(Bystander(["python3", "-c", Self.opener]))
    defer { child.end() }
    _ = child.line()
    let known = OpenSocket.all(of: child.pid)
    let told = try #require(try KernelSockets().open(of: [child.pid]))
    #expect(told.count == known.count && told.allSatisfy { $0.pid == child.pid })
    for socket in told {
      let own = try #require(known.first { $0.descriptor == socket.fd })
      let ends = SocketEnds(socket)
      #expect(own.inode == socket.inode && own.state == Int32(socket.state))
      #expect(own.transport == ends.transport && own.own == ends.own && own.peer == ends.peer)
      #expect(socket.address >> 48 == 0xffff)
    }
    #expect(Set(told.map(\.address)).count == told.count)
    #expect(try KernelSockets().open(of: [1 << 22])?.isEmpty == true)
  }
}
