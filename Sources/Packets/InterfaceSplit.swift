/// Takes a pcapng file apart by its interfaces, since libpcap refuses those with other links or lengths than the first.
///
/// Blocks are those of draft-ietf-opsawg-pcapng; each interface's packets become a pcap file with nanoseconds.
struct InterfaceSplit {
  private struct Interface {
    /// Ticks a second, as the block's option says: ten or two to that power.
    var resolution: UInt8 = 6
    /// Seconds to add.
    var offset: UInt64 = 0
    var file: [UInt8]
    var isEmpty = true
  }

  private enum Block {
    static let section: UInt32 = 0x0a0d_0d0a
    static let interface: UInt32 = 1, packet: UInt32 = 2, enhancedPacket: UInt32 = 6
  }

  private var interfaces: [Interface] = []
  /// Where those of the present section begin.
  private var base = 0
  private var isSwapped = false
  private let bytes: [UInt8]

  /// The files of those interfaces that have packets, as far as the blocks are whole.
  static func files(of bytes: [UInt8]) -> [[UInt8]] {
    var split = InterfaceSplit(bytes: bytes)
    split.walk()
    return split.interfaces.filter { !$0.isEmpty }.map(\.file)
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private mutating func walk() {
    var at = 0
    while at + 12 <= bytes.count {
      // A section's byte order stands behind its length.
      if number(at, 4) == UInt64(Block.section), number(at + 8, 4) != 0x1a2b_3c4d {
        isSwapped.toggle()
      }
      let size = Int(number(at + 4, 4))
      guard size >= 12, size <= bytes.count - at else { return }
      switch UInt32(number(at, 4)) {
      case Block.section: base = interfaces.count
      case Block.interface: if size >= 20 { begin(at, end: at + size - 4) }
      case Block.enhancedPacket: add(at, size, interface: Int(number(at + 8, 4)))
      case Block.packet: add(at, size, interface: Int(number(at + 8, 2)))
      default: break
      }
      at += size
    }
  }

  private mutating func begin(_ at: Int, end: Int) {
    var interface = Interface(file: [])
    let header: [UInt32] = [0xa1b2_3c4d, 2 | 4 << 16, 0, 0, 262_144, UInt32(number(at + 8, 2))]
    for word in header { Self.put(word, in: &interface.file) }
    var option = at + 16
    while option + 4 <= end {
      let (code, size) = (number(option, 2), Int(number(option + 2, 2)))
      guard code != 0, option + 4 + size <= end else { break }
      if code == 9, size >= 1 { interface.resolution = bytes[option + 4] }
      if code == 14, size >= 8 { interface.offset = number(option + 4, 8) }
      option += 4 + (size + 3) / 4 * 4
    }
    interfaces.append(interface)
  }

  private mutating func add(_ at: Int, _ size: Int, interface: Int) {
    let place = base + interface
    guard size >= 32, interfaces.indices.contains(place) else { return }
    let ticks = number(at + 12, 4) << 32 | number(at + 16, 4)
    let (kept, length) = (Int(number(at + 20, 4)), UInt32(number(at + 24, 4)))
    guard kept <= size - 32 else { return }
    let (seconds, nanoseconds) = Self.time(ticks, interfaces[place].resolution)
    let whole = UInt32(truncatingIfNeeded: seconds &+ interfaces[place].offset)
    for word in [whole, nanoseconds, UInt32(kept), length] {
      Self.put(word, in: &interfaces[place].file)
    }
    interfaces[place].file += bytes[(at + 28)..<(at + 28 + kept)]
    interfaces[place].isEmpty = false
  }

  /// The highest bit tells powers of two from those of ten.
  private static func time(_ ticks: UInt64, _ resolution: UInt8) -> (UInt64, UInt32) {
    let power = Int(resolution & 0x7f)
    let perSecond: UInt64
    if resolution & 0x80 != 0 {
      guard power < 64 else { return (0, 0) }
      perSecond = 1 << UInt64(power)
    } else {
      guard power < 20 else { return (0, 0) }
      perSecond = (0..<power).reduce(1) { product, _ in product * 10 }
    }
    let (seconds, rest) = ticks.quotientAndRemainder(dividingBy: perSecond)
    let product = rest.multipliedFullWidth(by: 1_000_000_000)
    return (seconds, UInt32(perSecond.dividingFullWidth(product).quotient))
  }

  private func number(_ at: Int, _ width: Int) -> UInt64 {
    guard at >= 0, at + width <= bytes.count else { return 0 }
    let part = bytes[at..<at + width]
    return isSwapped
      ? part.reduce(0) { $0 << 8 | UInt64($1) }
      : part.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func put(_ word: UInt32, in file: inout [UInt8]) {
    for shift in stride(from: UInt32(0), to: 32, by: 8) {
      file.append(UInt8(truncatingIfNeeded: word >> shift))
    }
  }
}
