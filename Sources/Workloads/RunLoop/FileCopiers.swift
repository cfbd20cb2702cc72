import CWorkloads
import Foundation

/// `filler`: fills a file without write: by sendfile, splice, copy_file_range, io_uring or shared memory.
enum FileCopiers {
  static let keys = ["way", "times", "bytes", "path"]

  enum Way: String, CaseIterable {
    case sendfile, splice, ring, mmap
    case range = "copy_file_range"
  }

  static func run(_ arguments: Arguments) throws {
    let way = try arguments.choice("way", Way.sendfile)
    let times = try arguments.integer("times", 5)
    let bytes = try arguments.integer("bytes", 10_000)
    let path = temporaryPath(arguments, "filler.dat")
    runBesideMainRunLoop {
      let source = try makeSource(path + ".source", bytes: times * bytes)
      let file = try checked(
        open(path, O_CREAT | O_RDWR | O_TRUNC | O_CLOEXEC, 0o600), "open \(path)")
      let syncs = try fill(file, from: source, way, times: times, bytes: bytes)
      close(file)
      close(source)
      var truth = fileTruth(
        "filler", path, writes: way == .mmap ? 0 : times, bytes: way == .mmap ? 0 : times * bytes)
      truth.syncs = syncs
      return truth
    }
  }

  /// A sparse file, which costs no write.
  private static func makeSource(_ path: String, bytes: Int) throws -> Int32 {
    let file = try checked(open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600), "open \(path)")
    try checked(ftruncate(file, bytes), "ftruncate \(path)")
    unlink(path)
    return file
  }

  /// Returns the number of syncs.
  private static func fill(
    _ file: Int32, from source: Int32, _ way: Way, times: Int, bytes: Int
  ) throws -> Int {
    switch way {
    case .sendfile:
      for _ in 0..<times { try exactly(sendfile(file, source, nil, bytes), bytes, "sendfile") }
    case .range:
      for _ in 0..<times {
        try exactly(workload_copy_range(source, file, bytes), bytes, "copy_file_range")
      }
    case .splice: try spliceAll(file, from: source, times: times, bytes: bytes)
    case .ring:
      let content = [UInt8](repeating: 68, count: bytes)
      let error = workload_ring_write(file, content, bytes, Int32(times))
      if error != 0 { throw SystemError("io_uring", number: error) }
      return 1
    case .mmap:
      try checked(ftruncate(file, times * bytes), "ftruncate")
      let memory = mmap(
        nil, times * bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
      guard let memory, memory != MAP_FAILED else { throw SystemError("mmap") }
      memset(memory, 69, times * bytes)
      try checked(msync(memory, times * bytes, MS_SYNC), "msync")
      munmap(memory, times * bytes)
      return 0
    }
    return 0
  }

  private static func spliceAll(
    _ file: Int32, from source: Int32, times: Int, bytes: Int
  ) throws {
    var ends: [Int32] = [-1, -1]
    try checked(pipe(&ends), "pipe")
    for _ in 0..<times {
      try exactly(workload_splice(source, ends[1], bytes), bytes, "splice")
      try exactly(workload_splice(ends[0], file, bytes), bytes, "splice")
    }
    close(ends[0])
    close(ends[1])
  }

  private static func exactly(_ result: Int, _ bytes: Int, _ call: String) throws {
    if try checked(result, call) != bytes { throw SystemError(call, number: EIO) }
  }
}
