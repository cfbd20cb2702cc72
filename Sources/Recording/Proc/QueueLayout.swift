import Glibc

/// Where the label of a serial dispatch queue stands in one process.
///
/// Where a queue keeps its label libdispatch does not promise. But it makes one queue whose label is known, the main
/// one, whose address it exports: where that queue's object holds the address of that label, others hold theirs. Which
/// objects are queues is told by their first word, which is the address of libdispatch's table of a queue's functions;
/// the main queue's must be so, too. Where any of it is otherwise, no queue is named.
struct QueueLayout {
  private static let mainQueue = "_dispatch_main_q"
  private static let mainLabel = Array("com.apple.main-thread".utf8)
  private static let mainTable = "__OS_dispatch_queue_main_vtable"
  private static let serialTable = "__OS_dispatch_queue_serial_vtable"
  private static let drain = "_dispatch_lane_serial_drain"

  /// An object is smaller; so much is looked through for the label's place.
  static let objectBytes = 256

  /// The address of serial queues' table of functions: the first word of each of them.
  let table: UInt64
  /// How far behind a queue's beginning the address of its label stands.
  let labelOffset: Int
  /// The code of the function that runs what is in a serial queue.
  let drain: Range<UInt64>

  /// Of a process that has a libdispatch which is known, of its own or as a library; nil where there is none.
  init?(pid: Int32, _ mappings: [MemoryMapping], _ memory: ProcessMemory) {
    let program = KernelFile.link("/proc/\(pid)/exe").map { ProcessRoot(of: pid).path($0[...]) }
    let beginnings = mappings.filter { $0.fileOffset == 0 }
    let candidates =
      beginnings.filter { $0.path.hasSuffix("/libdispatch.so") }
      + beginnings.filter { $0.path == program }
    for mapping in candidates {
      let path =
        mapping.path == program ? "/proc/\(pid)/exe" : "/proc/\(pid)/root" + mapping.path
      guard let file = ElfFile(path: path), mapping.path != program || file.hasSwiftMetadata
      else { continue }
      let objects = file.objects(named: [Self.mainQueue, Self.mainTable, Self.serialTable])
      guard let main = objects[Self.mainQueue], let mainTable = objects[Self.mainTable],
        let serialTable = objects[Self.serialTable]
      else { continue }
      let bytes = memory.read(mapping.start &+ main, Self.objectBytes)
      guard ProcessMemory.word(bytes, at: 0) == mapping.start &+ mainTable else { return nil }
      let places = stride(from: 8, to: bytes.count, by: 8).filter {
        ProcessMemory.word(bytes, at: $0).flatMap { memory.text($0) } == Self.mainLabel
      }
      guard let offset = places.first, places.count == 1 else { return nil }
      let code = file.code(named: [Self.drain])[Self.drain] ?? 0..<0
      let (start, size) = (mapping.start &+ code.lowerBound, UInt64(code.count))
      guard start <= .max - size else { return nil }
      table = mapping.start &+ serialTable
      labelOffset = offset
      drain = start..<start + size
      return
    }
    return nil
  }

  /// Whether a stack is of a thread that runs what is in a serial queue.
  func isDraining(_ stack: [UInt8]) -> Bool {
    stride(from: 0, through: stack.count - 8, by: 8).contains {
      ProcessMemory.word(stack, at: $0).map(drain.contains) == true
    }
  }

  /// The label of the queue at an address; empty where it has none, and nil where there is no serial queue.
  func label(at address: UInt64, in memory: ProcessMemory) -> String? {
    let bytes = memory.read(address, labelOffset + 8)
    guard ProcessMemory.word(bytes, at: 0) == table,
      let label = ProcessMemory.word(bytes, at: labelOffset)
    else { return nil }
    return memory.text(label).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}
