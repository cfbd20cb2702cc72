import Glibc
import Recording

/// What `lull doctor --exercise FILE` does while a trial records it: it computes, writes, sends and waits.
enum Exercise {
  static let sleptSeconds = 0.3
  static let computedSeconds = 0.1
  static let writes = 3
  static let sentBytes: UInt64 = 1000

  /// Whose being there says that a recorder is ready.
  static func signal(_ file: String) -> String { file + ".go" }

  static func begin(_ file: String) {
    let descriptor = open(signal(file), O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
    if descriptor >= 0 { close(descriptor) }
  }

  /// A folder to write to: on a disk, if one may be written to, since what goes to memory is no disk's.
  static func place(besides folder: String) -> String {
    [".", "/var/tmp"].compactMap { path -> String? in
      guard access(path, W_OK) == 0, !DescriptorTable.isInMemory(path),
        let absolute = realpath(path, nil)
      else {
        return nil
      }
      defer { free(absolute) }
      return String(cString: absolute)
    }.first ?? folder
  }

  static func perform(_ file: String) {
    // A recorder that never comes must not leave it behind.
    for _ in 0..<1000 where access(signal(file), F_OK) != 0 { poll(nil, 0, 5) }
    compute()
    write(to: file)
    let sockets = send()
    // Sockets' counts are looked at ten times a second.
    usleep(useconds_t(sleptSeconds * 1e6))
    for socket in sockets { close(socket) }
  }

  /// In the program itself: where only that may be seen, what the kernel does for it has no samples.
  private static func compute() {
    let start = usedSeconds
    var sum: UInt64 = 1
    while usedSeconds - start < computedSeconds {
      for index in 0..<100_000 { sum = sum &* 31 &+ UInt64(index) }
    }
    // What nobody asks for would not be computed.
    if sum == 0 { usleep(1) }
  }

  /// CPU time of this thread.
  private static var usedSeconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private static func write(to file: String) {
    let descriptor = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    let bytes = [UInt8](repeating: 0x4c, count: 1000)
    for _ in 0..<writes { _ = Glibc.write(descriptor, bytes, bytes.count) }
    close(descriptor)
  }

  /// To itself, over the loopback interface; gives the sockets.
  private static func send() -> [Int32] {
    let stream = Int32(SOCK_STREAM.rawValue)
    let listener = socket(AF_INET, stream, 0)
    let sender = socket(AF_INET, stream, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let receiver = withUnsafeMutablePointer(to: &address) { pointer -> Int32 in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
        guard bind(listener, name, length) == 0, listen(listener, 1) == 0,
          getsockname(listener, name, &length) == 0, connect(sender, name, length) == 0
        else { return -1 }
        return accept(listener, nil, nil)
      }
    }
    var bytes = [UInt8](repeating: 0x4c, count: Int(sentBytes))
    if receiver >= 0 {
      _ = Glibc.send(sender, bytes, bytes.count, 0)
      _ = recv(receiver, &bytes, bytes.count, 0)
    }
    return [listener, sender, receiver].filter { $0 >= 0 }
  }
}
