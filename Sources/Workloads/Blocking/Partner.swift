import Foundation

/// The other side of every wait: a thread that lets the main thread go after two milliseconds.
final class Partner: @unchecked Sendable {
  let directory: String
  let fifo: String
  let url: URL
  let block = Data(repeating: 5, count: 192 << 10)
  private(set) var pipeOut: Int32 = -1
  private(set) var socket: Int32 = -1
  private var pipeIn: Int32 = -1
  private var otherSocket: Int32 = -1
  private let server: Int32
  private let jobs = Jobs()

  init(_ directory: String) throws {
    self.directory = directory
    fifo = directory + "/fifo"
    var ends: [Int32] = [0, 0]
    pipe(&ends)
    (pipeOut, pipeIn) = (ends[0], ends[1])
    socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
    (socket, otherSocket) = (ends[0], ends[1])
    guard mkfifo(fifo, 0o600) == 0 || errno == EEXIST else { throw CocoaError(.fileWriteUnknown) }
    var port: UInt16 = 0
    server = Self.listen(&port)
    guard let url = URL(string: "http://127.0.0.1:\(port)/") else {
      throw CocoaError(.featureUnsupported)
    }
    self.url = url
    let jobs = jobs
    let thread = Thread { jobs.run() }
    thread.name = "partner"
    thread.start()
    let listener = server
    let serving = Thread { Self.serve(listener) }
    serving.name = "server"
    serving.start()
  }

  /// Does `work` on the partner's thread once the caller has had time to block.
  func later(_ work: @escaping @Sendable () -> Void) {
    jobs.add {
      usleep(2_000)
      work()
    }
  }

  /// Returns once the partner holds something; it lets it go two milliseconds later.
  func hold(
    _ take: @escaping @Sendable () -> Void, release: @escaping @Sendable () -> Void
  ) {
    let held = DispatchSemaphore(value: 0)
    jobs.add {
      take()
      held.signal()
      usleep(2_000)
      release()
    }
    held.wait()
  }

  /// Returns once a queue is busy, for two milliseconds more.
  func hold(on queue: DispatchQueue) {
    let held = DispatchSemaphore(value: 0)
    queue.async {
      held.signal()
      usleep(2_000)
    }
    held.wait()
  }

  func writeToPipe() {
    var byte: UInt8 = 1
    _ = write(pipeIn, &byte, 1)
  }

  func emptyPipe() {
    var byte: UInt8 = 0
    _ = read(pipeOut, &byte, 1)
  }

  func writeToSocket() {
    var byte: UInt8 = 1
    _ = send(otherSocket, &byte, 1, 0)
  }

  func drainFifo() {
    let descriptor = open(fifo, O_RDONLY | O_CLOEXEC)
    var buffer = [UInt8](repeating: 0, count: 32 << 10)
    usleep(1_000)
    while read(descriptor, &buffer, buffer.count) > 0 { usleep(200) }
    close(descriptor)
  }

  private static func listen(_ port: inout UInt16) -> Int32 {
    let listener = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = bind(listener, $0, length)
        _ = Glibc.listen(listener, 8)
        _ = getsockname(listener, $0, &length)
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    return listener
  }

  /// Answers each request after three milliseconds.
  private static func serve(_ listener: Int32) {
    let answer = Array(
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok".utf8)
    while true {
      let connection = accept(listener, nil, nil)
      guard connection >= 0 else { return }
      var buffer = [UInt8](repeating: 0, count: 4096)
      _ = recv(connection, &buffer, buffer.count, 0)
      usleep(3_000)
      _ = send(connection, answer, answer.count, 0)
      close(connection)
    }
  }
}

/// Work for the partner's thread, in order.
private final class Jobs: @unchecked Sendable {
  private let condition = NSCondition()
  private var waiting: [() -> Void] = []

  func add(_ job: @escaping () -> Void) {
    condition.lock()
    waiting.append(job)
    condition.signal()
    condition.unlock()
  }

  func run() {
    while true {
      condition.lock()
      while waiting.isEmpty { condition.wait() }
      let job = waiting.removeFirst()
      condition.unlock()
      job()
    }
  }
}

/// What threads wait for here.
final class Locks: @unchecked Sendable {
  let mutex: UnsafeMutablePointer<pthread_mutex_t> = {
    let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
    return mutex
  }()
  let lock = NSLock()
  let semaphore = DispatchSemaphore(value: 0)
  let queue = DispatchQueue(label: "lull.held")
}
