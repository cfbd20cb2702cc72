import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Fourteen ways for a Swift program to block, each in a function of its own that makes the call.
///
/// Nothing here is inlined, so that the name of the function in a stack is the one in this file. The calls return only
/// after `Partner` has let them wait.
enum Ways {
  static let names = [
    "pread", "fsync", "pipeRead", "mutex", "nsLock", "usleep", "poll", "recv", "semaphore",
    "queueSync", "threadSleep", "dataContents", "dataWrite", "urlLoad",
  ]

  /// Each way's call, ready to be made.
  static func prepare(_ partner: Partner) throws -> [(name: String, block: () -> Int)] {
    // Data(contentsOf:) finds the loading of URLs at run time; a static program holds it only if it is named.
    _ = URLSession.shared
    let files = try Files(partner.directory)
    let locks = Locks()
    return [
      ("pread", { blockInPread(files) }),
      ("fsync", { blockInFsync(files) }),
      ("pipeRead", { blockInPipeRead(partner) }),
      ("mutex", { blockInMutex(partner, locks) }),
      ("nsLock", { blockInNSLock(partner, locks) }),
      ("usleep", { blockInUsleep() }),
      ("poll", { blockInPoll(partner) }),
      ("recv", { blockInRecv(partner) }),
      ("semaphore", { blockInSemaphore(partner, locks) }),
      ("queueSync", { blockInQueueSync(partner, locks) }),
      ("threadSleep", { blockInThreadSleep() }),
      ("dataContents", { blockInDataContents(files) }),
      ("dataWrite", { blockInDataWrite(partner) }),
      ("urlLoad", { blockInURLLoad(partner) }),
    ]
  }

  @inline(never) static func blockInPread(_ files: Files) -> Int {
    var sum = 0
    for _ in 0..<8 {
      let offset = off_t(files.nextChunk() * files.chunk)
      sum &+= pread(files.direct, files.buffer, files.chunk, offset)
    }
    return sum
  }

  @inline(never) static func blockInFsync(_ files: Files) -> Int {
    var sum = 0
    for round in 0..<4 {
      sum &+= pwrite(files.written, files.buffer, 4096, off_t(round * 4096))
      sum &+= Int(fsync(files.written))
    }
    return sum
  }

  @inline(never) static func blockInPipeRead(_ partner: Partner) -> Int {
    partner.later { partner.writeToPipe() }
    var byte: UInt8 = 0
    return read(partner.pipeOut, &byte, 1) &+ Int(byte)
  }

  @inline(never) static func blockInMutex(_ partner: Partner, _ locks: Locks) -> Int {
    partner.hold {
      pthread_mutex_lock(locks.mutex)
    } release: {
      pthread_mutex_unlock(locks.mutex)
    }
    let result = pthread_mutex_lock(locks.mutex)
    pthread_mutex_unlock(locks.mutex)
    return Int(result) &+ 1
  }

  @inline(never) static func blockInNSLock(_ partner: Partner, _ locks: Locks) -> Int {
    partner.hold {
      locks.lock.lock()
    } release: {
      locks.lock.unlock()
    }
    locks.lock.lock()
    locks.lock.unlock()
    return 1
  }

  @inline(never) static func blockInUsleep() -> Int { Int(usleep(2_000)) &+ 1 }

  @inline(never) static func blockInPoll(_ partner: Partner) -> Int {
    partner.later { partner.writeToPipe() }
    var descriptor = pollfd(fd: partner.pipeOut, events: Int16(POLLIN), revents: 0)
    let ready = poll(&descriptor, 1, 5_000)
    partner.emptyPipe()
    return Int(ready) &+ 1
  }

  @inline(never) static func blockInRecv(_ partner: Partner) -> Int {
    partner.later { partner.writeToSocket() }
    var byte: UInt8 = 0
    return recv(partner.socket, &byte, 1, 0) &+ Int(byte)
  }

  @inline(never) static func blockInSemaphore(_ partner: Partner, _ locks: Locks) -> Int {
    partner.later { locks.semaphore.signal() }
    locks.semaphore.wait()
    return 1
  }

  @inline(never) static func blockInQueueSync(_ partner: Partner, _ locks: Locks) -> Int {
    partner.hold(on: locks.queue)
    var result = 0
    locks.queue.sync { result = 1 }
    return result
  }

  @inline(never) static func blockInThreadSleep() -> Int {
    Thread.sleep(forTimeInterval: 0.002)
    return 1
  }

  @inline(never) static func blockInDataContents(_ files: Files) -> Int {
    files.dropFromCache()
    let data = try? Data(contentsOf: files.whole)
    return (data?.count ?? -1) &+ 1
  }

  @inline(never) static func blockInDataWrite(_ partner: Partner) -> Int {
    partner.later { partner.drainFifo() }
    let written: ()? = try? partner.block.write(to: URL(fileURLWithPath: partner.fifo))
    return written == nil ? 0 : 1
  }

  @inline(never) static func blockInURLLoad(_ partner: Partner) -> Int {
    let data = try? Data(contentsOf: partner.url)
    return (data?.count ?? -1) &+ 1
  }
}
