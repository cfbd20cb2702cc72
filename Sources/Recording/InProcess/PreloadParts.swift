import CPreloadRing

/// What a thread has used at a call's end, or as it was sampled.
struct PreloadUse {
  /// CPU time, in nanoseconds.
  var processor: UInt64
  /// The same at the call's start, where that was looked at.
  var processorBefore: UInt64?
  /// How often it went to sleep: its voluntary switches.
  var waits: UInt64
  /// The same at the call's start, where that was looked at.
  var waitsBefore: UInt64?
}

extension PreloadUse {
  /// What a thread told of itself; nil where a filter over its system calls, or what else, kept that from it.
  init?(told processor: UInt64, waits: UInt64) {
    guard processor != .max, waits != .max else { return nil }
    self.init(processor: processor, waits: waits)
  }
}

/// What follows a record in the ring; of most records nothing does.
final class PreloadParts {
  let use: PreloadUse?
  let path: String?
  let otherPath: String?
  /// Socket addresses: its own, the peer's.
  let addresses: (own: SocketName, peer: SocketName)?
  var stack: PreloadStacks.Stack?
  /// Where the stack is among those of its process; nil for one that stands for no other.
  var stackPlace: PreloadStacks.Place?
  /// Whether the stack was written with an earlier call.
  var isStackEarlier = false

  /// The stack that was written with this call.
  var ownStack: PreloadStacks.Stack? { isStackEarlier ? nil : stack }

  init(
    use: PreloadUse? = nil, path: String? = nil, otherPath: String? = nil,
    addresses: (own: SocketName, peer: SocketName)? = nil, stack: PreloadStacks.Stack? = nil
  ) {
    (self.use, self.path, self.otherPath, self.addresses) = (use, path, otherPath, addresses)
    self.stack = stack
  }

  /// Of a call with the stack of an earlier one.
  init(earlier stack: PreloadStacks.Stack, at place: PreloadStacks.Place) {
    (use, path, otherPath, addresses) = (nil, nil, nil, nil)
    self.stack = stack
    stackPlace = place
    isStackEarlier = true
  }

  /// Of a record, by the bytes that follow it.
  convenience init(_ bytes: UnsafeRawBufferPointer, _ record: lull_record) {
    var reader = Reader(bytes: bytes)
    func has(_ part: lull_record_part) -> Bool { UInt32(record.parts) & part.rawValue != 0 }
    var use: PreloadUse?
    if has(lull_part_cpu) {
      let (end, start) = (reader.number(), reader.number())
      let (waits, before) = (reader.number(), reader.number())
      use = PreloadUse(told: end, waits: waits)
      use?.processorBefore = start == .max ? nil : start
      use?.waitsBefore = before == .max ? nil : before
    }
    let path = has(lull_part_path) ? reader.text() : nil
    let otherPath = has(lull_part_second_path) ? reader.text() : nil
    let addresses =
      has(lull_part_addresses)
      ? (SocketName(reader.bytes(32)), SocketName(reader.bytes(32))) : nil
    var stack: PreloadStacks.Stack?
    if has(lull_part_stack) {
      let registers = (0..<Int(lull_registers)).map { _ in reader.number() }
      stack = .init(registers, reader.bytes(Int(clamping: reader.number())))
    }
    self.init(use: use, path: path, otherPath: otherPath, addresses: addresses, stack: stack)
  }

  /// Takes in that its stack is one that an earlier call wrote.
  func takeStack(of earlier: PreloadParts) {
    (stack, stackPlace, isStackEarlier) = (earlier.stack, earlier.stackPlace, true)
  }

  /// Gives zeros and nothing behind the end.
  private struct Reader {
    let bytes: UnsafeRawBufferPointer
    var at = 0

    mutating func number() -> UInt64 {
      defer { at += 8 }
      guard at + 8 <= bytes.count else { return 0 }
      return bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
      let end = min(bytes.count, at + max(0, min(count, bytes.count)))
      defer { at += (count + 7) / 8 * 8 }
      return at < end ? Array(bytes[at..<end]) : []
    }

    mutating func text() -> String {
      String(decoding: bytes(Int(clamping: min(number(), 4096))), as: UTF8.self)
    }
  }
}

/// A sockaddr_in or sockaddr_in6, as tracepoints tell it.
struct SocketName: Equatable {
  var family: UInt16 = 0
  var port: UInt16 = 0
  /// 4 or 16 bytes.
  var address: [UInt8] = []

  /// An address of 4 or 16 bytes.
  init(address: [UInt8], port: UInt16) {
    family = address.count == 16 ? 10 : 2
    self.port = port
    self.address = address
  }

  init(_ bytes: [UInt8]) {
    guard bytes.count >= 28 else { return }
    family = UInt16(bytes[0]) | UInt16(bytes[1]) << 8
    port = UInt16(bytes[2]) << 8 | UInt16(bytes[3])
    address = family == 10 ? Array(bytes[8..<24]) : Array(bytes[4..<8])
  }
}
