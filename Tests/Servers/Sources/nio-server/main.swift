import Foundation
import NIOCore
import NIOPosix

// A server that answers each message after reading a file on its event loop, or does so properly on a thread pool.
//
// `nio-server DIRECTORY loop|pool [REQUESTS] [MILLISECONDS]` is its own client, and prints a line of JSON: how long it
// read.

/// What the handlers did, told at the end.
final class Account: @unchecked Sendable {
  private let lock = NSLock()
  private var nanoseconds: UInt64 = 0
  private var requests = 0

  func add(_ spent: UInt64) {
    lock.lock()
    nanoseconds += spent
    requests += 1
    lock.unlock()
  }

  var text: String {
    lock.lock()
    defer { lock.unlock() }
    return "{\"requests\":\(requests),\"readingNs\":\(nanoseconds)}"
  }
}

/// A file on a disk, read past the page cache.
final class SlowFile: @unchecked Sendable {
  private let descriptor: Int32
  private let chunk = 1 << 20
  private let chunks = 16
  private let milliseconds: UInt64

  init(_ directory: String, milliseconds: UInt64) {
    self.milliseconds = milliseconds
    let path = directory + "/slow"
    let written = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
    let bytes = [UInt8](repeating: 7, count: chunk)
    for _ in 0..<chunks { _ = write(written, bytes, chunk) }
    fsync(written)
    close(written)
    // glibc's O_DIRECT is hidden behind _GNU_SOURCE; the number is the kernel's.
    #if arch(arm64)
      descriptor = open(path, O_RDONLY | 0o200000 | O_CLOEXEC)
    #else
      descriptor = open(path, O_RDONLY | 0o40000 | O_CLOEXEC)
    #endif
  }

  static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Reads until the time is over; gives how long it took.
  @inline(never) func readSlowly() -> UInt64 {
    let start = Self.now()
    let buffer = UnsafeMutableRawPointer.allocate(byteCount: chunk, alignment: 4096)
    defer { buffer.deallocate() }
    var round = 0
    while Self.now() - start < milliseconds * 1_000_000 {
      _ = pread(descriptor, buffer, chunk, off_t(round % chunks * chunk))
      round += 1
    }
    return Self.now() - start
  }
}

final class Handler: ChannelInboundHandler, Sendable {
  typealias InboundIn = ByteBuffer
  private let file: SlowFile
  private let account: Account
  private let pool: NIOThreadPool?

  init(_ file: SlowFile, _ account: Account, _ pool: NIOThreadPool?) {
    self.file = file
    self.account = account
    self.pool = pool
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let buffer = unwrapInboundIn(data)
    let channel = context.channel
    guard let pool else {
      account.add(file.readSlowly())
      channel.writeAndFlush(buffer, promise: nil)
      return
    }
    let (file, account) = (file, account)
    pool.runIfActive(eventLoop: context.eventLoop) { account.add(file.readSlowly()) }
      .whenSuccess { channel.writeAndFlush(buffer, promise: nil) }
  }
}

let words = CommandLine.arguments
guard words.count > 2 else { exit(64) }
let requests = words.count > 3 ? Int(words[3]) ?? 10 : 10
let milliseconds = words.count > 4 ? UInt64(words[4]) ?? 40 : 40
let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
let account = Account()
let file = SlowFile(words[1], milliseconds: milliseconds)
let pool = words[2] == "pool" ? NIOThreadPool(numberOfThreads: 1) : nil
pool?.start()
let server = try ServerBootstrap(group: group)
  .childChannelInitializer { $0.pipeline.addHandler(Handler(file, account, pool)) }
  .bind(host: "127.0.0.1", port: 0).wait()

let port = server.localAddress?.port ?? 0
let client = Thread {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = in_port_t(UInt16(port)).bigEndian
  address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
  let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      _ = connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
  var byte: UInt8 = 1
  for _ in 0..<requests {
    _ = send(socket, &byte, 1, 0)
    _ = recv(socket, &byte, 1, 0)
    usleep(20_000)
  }
  print(account.text)
  exit(0)
}
client.name = "client"
client.start()
try server.closeFuture.wait()
