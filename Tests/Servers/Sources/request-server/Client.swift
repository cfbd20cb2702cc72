import Glibc

/// What asks the server, in a process of its own, and ends it when the time is over.
enum Client {
  /// Starts it, with the server's own words.
  static func start(port: Int) {
    var child: pid_t = 0
    let words = CommandLine.arguments + ["port=\(port)", "server=\(getpid())"]
    var arguments = words.map { strdup($0) } + [nil]
    posix_spawn(&child, "/proc/self/exe", nil, nil, &arguments, environ)
    for argument in arguments { free(argument) }
  }

  static func run(port: UInt16, _ options: Options) -> Never {
    let count = options["clients"] ?? 4
    let end = time(nil) + (options["seconds"] ?? 8)
    for _ in 0..<count where fork() == 0 { ask(port: port, until: end, options) }
    for _ in 0..<count { wait(nil) }
    kill(pid_t(options["server"] ?? 0), SIGTERM)
    exit(0)
  }

  /// One request after another on one connection.
  private static func ask(port: UInt16, until end: time_t, _ options: Options) -> Never {
    let connection = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(connection, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else { exit(1) }
    let request = "GET /\(options.route) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    var buffer = [UInt8](repeating: 0, count: 4096)
    while time(nil) < end {
      guard write(connection, request, request.utf8.count) > 0,
        read(connection, &buffer, buffer.count) > 0
      else { exit(1) }
      usleep(useconds_t(options["gap"] ?? 0) * 1000)
    }
    exit(0)
  }
}
