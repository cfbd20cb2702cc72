/// Takes a pcapng file apart by its interfaces, since libpcap refuses those with other links or lengths than the first.
///
/// Simple packet blocks hold no time: each gets that of the packet before it in the file.
/// Blocks are those of draft-ietf-opsawg-pcapng; each interface's packets become a pcap file with nanoseconds.
struct InterfaceSplit {
  private struct Interface {
    /// Ticks a second, as the block's option says: ten or two to that power.
    var resolution: UInt8 = 6
    /// Seconds to add.
    var offset: UInt64 = 0
    /// Bytes kept of a packet at most; 0 is all.
    var mostKept = 0
    var file: [UInt8]
    var isEmpty = true
  }

  private enum Block {
    static let section: UInt32 = 0x0a0d_0d0a
    static let interface: UInt32 = 1, packet: UInt32 = 2, simplePacket: UInt32 = 3
    static let enhancedPacket: UInt32 = 6
  }

  private var interfaces: [Interface] = []
  /// Where those of the present section begin.
  private var base = 0
  private var isSwapped = false
  private let bytes: [UInt8]
  /// Seconds and nanoseconds of the last packet that had a time.
  private var last: (seconds: UInt32, nanoseconds: UInt32)?
  /// Where packets without time stand before any with one.
  private var untimed: [(interface: Int, place: Int)] = []
  private var timeless = 0

  /// The files of those interfaces that have packets, as far as the blocks are whole, and how many packets have no
  /// time of their own.
  static func files(of bytes: [UInt8]) -> (files: [[UInt8]], timeless: Int) {
    var split = InterfaceSplit(bytes: bytes)
    split.walk()
    return (split.interfaces.filter { !$0.isEmpty }.map(\.file), split.timeless)
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
      case Block.simplePacket: addSimple(at, size)
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
    interface.mostKept = Int(number(at + 12, 4))
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
    last = (whole, nanoseconds)
    for (interface, start) in untimed { putTime(in: interface, at: start) }
    untimed = []
    put(in: place, length: length, at + 28, kept)
  }

  /// A packet of the section's first interface, cut where the interface cuts.
  private mutating func addSimple(_ at: Int, _ size: Int) {
    guard size >= 16, interfaces.indices.contains(base) else { return }
    let length = UInt32(number(at + 8, 4))
    let most = interfaces[base].mostKept
    let kept = min(Int(length), most == 0 ? .max : most)
    guard kept <= size - 16 else { return }
    timeless += 1
    if last == nil { untimed.append((base, interfaces[base].file.count)) }
    put(in: base, length: length, at + 12, kept)
  }

  private mutating func put(in place: Int, length: UInt32, _ start: Int, _ kept: Int) {
    for word in [last?.seconds ?? 0, last?.nanoseconds ?? 0, UInt32(kept), length] {
      Self.put(word, in: &interfaces[place].file)
    }
    interfaces[place].file += bytes[start..<(start + kept)]
    interfaces[place].isEmpty = false
  }

  /// Gives a packet that was put without one the time of the last.
  private mutating func putTime(in interface: Int, at start: Int) {
    var time: [UInt8] = []
    for word in [last?.seconds ?? 0, last?.nanoseconds ?? 0] { Self.put(word, in: &time) }
    interfaces[interface].file.replaceSubrange(start..<start + time.count, with: time)
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
