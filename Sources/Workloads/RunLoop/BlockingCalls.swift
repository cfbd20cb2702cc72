import Foundation

/// Prepares everything a cause needs, so that the returned call does nothing but block.
func makeBlock(_ cause: BlockingCause, milliseconds: Int, path: String) throws -> Block {
  let duration = UInt64(milliseconds) * 1_000_000
  switch cause {
  case .sleep:
    return {
      usleep(useconds_t(milliseconds * 1000))
      return 1
    }
  case .compute:
    return { computeOnThisThread(nanoseconds: duration) }
  case .lock: return makeLockBlock(milliseconds)
  case .semaphore: return makeSemaphoreBlock(milliseconds)
  case .child: return { try waitForSleepingChild(milliseconds: milliseconds) }
  case .process: return { try waitForProcess(milliseconds: milliseconds) }
  case .runLoop: return { waitInRunLoop(milliseconds: milliseconds) }
  case .fsync: return try makeSyncBlock(nanoseconds: duration, path: path)
  case .file: return try makeReadBlock(nanoseconds: duration)
  case .network: return try makeReceiveBlock(milliseconds: milliseconds)
  }
}

/// Spends `nanoseconds` of the calling thread's CPU time.
@inline(never)
func computeOnThisThread(nanoseconds: UInt64) -> Int {
  let end = threadCPUTime() + nanoseconds
  var value: UInt64 = 88_172_645_463_325_252
  var rounds = 0
  while threadCPUTime() < end {
    for _ in 0..<2000 {
      value ^= value << 13
      value ^= value >> 7
      value ^= value << 17
    }
    rounds += 1
  }
  return value == 0 ? 0 : rounds
}

/// A lock that another thread holds for the whole time.
private func makeLockBlock(_ milliseconds: Int) -> Block {
  let lock = NSLock()
  let go = DispatchSemaphore(value: 0)
  let released = DispatchSemaphore(value: 0)
  let held = DispatchSemaphore(value: 0)
  let holder = Thread {
    lock.lock()
    held.signal()
    while true {
      go.wait()
      pause(milliseconds: Double(milliseconds))
      lock.unlock()
      released.wait()
      lock.lock()
    }
  }
  holder.name = "lock-holder"
  holder.start()
  held.wait()
  return {
    go.signal()
    lock.lock()
    lock.unlock()
    released.signal()
    return 1
  }
}

/// A semaphore that another thread signals when the time is over.
private func makeSemaphoreBlock(_ milliseconds: Int) -> Block {
  let go = DispatchSemaphore(value: 0)
  let done = DispatchSemaphore(value: 0)
  let signaller = Thread {
    while true {
      go.wait()
      pause(milliseconds: Double(milliseconds))
      done.signal()
    }
  }
  signaller.name = "signaller"
  signaller.start()
  return {
    go.signal()
    done.wait()
    return 1
  }
}

/// Starts `sleep` and waits for it.
private func waitForSleepingChild(milliseconds: Int) throws -> Int {
  let pid = try spawn("/bin/sleep", ["sleep", "\(Double(milliseconds) / 1000)"])
  var status: Int32 = 0
  while waitpid(pid, &status, 0) < 0 {
    guard errno == EINTR else { throw SystemError("waitpid") }
  }
  return 1
}

/// As Foundation waits: in a run loop, which serves the main queue no more.
private func waitForProcess(milliseconds: Int) throws -> Int {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/bin/sleep")
  process.arguments = ["\(Double(milliseconds) / 1000)"]
  try process.run()
  process.waitUntilExit()
  return 1
}

/// Runs a loop within a piece of the main queue's work until a time.
private func waitInRunLoop(milliseconds: Int) -> Int {
  let end = Date(timeIntervalSinceNow: Double(milliseconds) / 1000)
  // A loop without anything to wait for ends at once.
  let timer = Timer(fire: end.addingTimeInterval(10), interval: 0, repeats: false) { _ in }
  RunLoop.current.add(timer, forMode: .default)
  while Date() < end { _ = RunLoop.current.run(mode: .default, before: end) }
  timer.invalidate()
  return 1
}

/// Writes a block and syncs it, again and again until the time is over.
private func makeSyncBlock(nanoseconds: UInt64, path: String) throws -> Block {
  let file = try checked(
    open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0o600), "open \(path)")
  let block = [UInt8](repeating: 1, count: 4096)
  return {
    let end = monotonicNow() + nanoseconds
    var rounds = 0
    while monotonicNow() < end {
      try checked(pwrite(file, block, block.count, off_t(rounds % 64 * 4096)), "pwrite \(path)")
      try checked(fsync(file), "fsync \(path)")
      rounds += 1
    }
    return rounds
  }
}

/// Reads this program's own file past the page cache (O_DIRECT), again and again until the time is over.
private func makeReadBlock(nanoseconds: UInt64) throws -> Block {
  let path = try ownExecutable()
  let chunk = 64 << 10
  // glibc's O_DIRECT is hidden behind _GNU_SOURCE; the number is the kernel's.
  #if arch(arm64)
    let direct: Int32 = 0o200000
  #else
    let direct: Int32 = 0o40000
  #endif
  let file = try checked(open(path, O_RDONLY | direct | O_CLOEXEC), "open O_DIRECT \(path)")
  let chunks = max(Int(lseek(file, 0, SEEK_END)) / chunk, 1)
  let buffer = UnsafeMutableRawPointer.allocate(byteCount: chunk, alignment: 4096)
  return {
    let end = monotonicNow() + nanoseconds
    var rounds = 0
    while monotonicNow() < end {
      let offset = off_t(rounds % chunks * chunk)
      try checked(pread(file, buffer, chunk, offset), "pread \(path)")
      rounds += 1
    }
    return rounds
  }
}

/// Sends one byte to a server thread on loopback that answers when the time is over.
private func makeReceiveBlock(milliseconds: Int) throws -> Block {
  let listener = try Loopback.listen()
  let client = try Loopback.connect(to: listener)
  let server = Thread {
    let socket = accept(listener, nil, nil)
    var byte: UInt8 = 0
    while socket >= 0, recv(socket, &byte, 1, 0) == 1 {
      pause(milliseconds: Double(milliseconds))
      send(socket, &byte, 1, 0)
    }
  }
  server.name = "slow-server"
  server.start()
  return {
    var byte: UInt8 = 1
    try checked(send(client, &byte, 1, 0), "send")
    try checked(recv(client, &byte, 1, 0), "recv")
    return 1
  }
}
