import Glibc

/// What the recorder needs of an executable or library: section names and the places of functions and objects.
///
/// The recorder often is root and the file is another's, so no library parses it in this process: the few tables that
/// are needed are read by `pread` into arrays of limited size, and every offset in them is checked. Damaged files give
/// fewer answers, never a failure. Files of 64 bits, least byte first, are known (gABI, chapter 4).
package final class ElfFile {
  /// A function in the file.
  package struct Function: Equatable, Sendable {
    /// Where its first instruction is in the file.
    package var fileOffset: UInt64
    /// Its first bytes.
    package var code: [UInt8]
  }

  /// Elf64_Shdr, as far as it is used.
  private struct Section {
    var name: UInt32
    var type: UInt32
    var offset: UInt64
    var size: UInt64
    var link: UInt32
  }

  /// Elf64_Sym, as far as it is used.
  private struct Symbol {
    var value: UInt64
    var size: UInt64
  }

  private let descriptor: OwnedDescriptor
  private let header: ElfBytes
  private let sections: [Section]
  private let names: ElfBytes

  private static let headerSize = 64
  private static let sectionSize = 64
  private static let segmentSize = 56
  private static let symbolSize = 24
  private static let sectionLimit = 20_000
  /// 4 million symbols, and names of 64 letters for them.
  private static let symbolBytesLimit = 4_000_000 * symbolSize
  private static let nameBytesLimit = 256 << 20
  private static let interpreterLimit: UInt64 = 4096
  /// SHT_SYMTAB and SHT_DYNSYM, PT_LOAD and PT_INTERP, PF_X, STT_FUNC, STT_OBJECT.
  private static let staticSymbols: UInt32 = 2
  private static let dynamicSymbols: UInt32 = 11
  private static let load: UInt32 = 1
  private static let interpreter: UInt32 = 3
  private static let executable: UInt32 = 1
  private static let function: UInt8 = 2
  private static let object: UInt8 = 1

  /// Opens a file; nil when it cannot be read or is not ELF.
  package init?(path: String) {
    // A FIFO must not block us.
    guard let descriptor = OwnedDescriptor(opening: path, flags: O_RDONLY | O_NONBLOCK) else {
      return nil
    }
    var information = stat()
    guard fstat(descriptor.number, &information) == 0, information.st_mode & S_IFMT == S_IFREG
    else { return nil }
    let header = ElfBytes(descriptor, at: 0, count: Self.headerSize)
    // Magic, then class 2 (64 bits) and data 1 (least byte first).
    guard header.value(at: 0, UInt32.self) == 0x464c_457f,
      header.value(at: 4, UInt16.self) == 0x0102
    else { return nil }
    self.descriptor = descriptor
    self.header = header
    let (sections, namesIndex) = Self.sections(descriptor, header)
    self.sections = sections
    names =
      sections.indices.contains(namesIndex)
      ? ElfBytes(descriptor, sections[namesIndex].offset, sections[namesIndex].size, 4 << 20)
      : ElfBytes()
  }

  /// The section headers, and which of them holds their names.
  private static func sections(_ descriptor: OwnedDescriptor, _ header: ElfBytes) -> (
    [Section], Int
  ) {
    guard let table = header.value(at: 40, UInt64.self), table > 0,
      header.value(at: 58, UInt16.self) == UInt16(sectionSize),
      var count = header.value(at: 60, UInt16.self).map(Int.init),
      var names = header.value(at: 62, UInt16.self).map(Int.init)
    else { return ([], -1) }
    if count == 0 || names == 0xffff {
      // Numbers that do not fit stand in the first entry.
      let first = ElfBytes(descriptor, at: table, count: sectionSize)
      if count == 0 { count = Int(clamping: first.value(at: 32, UInt64.self) ?? 0) }
      if names == 0xffff { names = Int(first.value(at: 40, UInt32.self) ?? 0) }
    }
    let bytes = ElfBytes(descriptor, at: table, count: min(count, sectionLimit) * sectionSize)
    let sections = stride(from: 0, to: bytes.count, by: sectionSize).compactMap { at -> Section? in
      guard let name = bytes.value(at: at, UInt32.self),
        let type = bytes.value(at: at + 4, UInt32.self),
        let offset = bytes.value(at: at + 24, UInt64.self),
        let size = bytes.value(at: at + 32, UInt64.self),
        let link = bytes.value(at: at + 40, UInt32.self)
      else { return nil }
      return Section(name: name, type: type, offset: offset, size: size, link: link)
    }
    return (sections, names)
  }

  /// Whether a section's name begins with any of these.
  package func hasSection(withPrefix prefixes: [String]) -> Bool {
    let wanted = prefixes.map { Array($0.utf8) }
    return sections.contains { section in
      wanted.contains { names.has($0, at: Int(section.name)) }
    }
  }

  /// Whether the file has Swift's metadata, which survives `strip`.
  package var hasSwiftMetadata: Bool {
    hasSection(withPrefix: ["swift5_", ".swift5_", "swift6_"])
  }

  /// How much of it is code, in bytes: the segments that may be executed.
  package var codeBytes: UInt64 {
    executableSegments().reduce(0) { $0 &+ ($1.addresses.upperBound - $1.addresses.lowerBound) }
  }

  /// Finds functions by name in the dynamic symbols, then in the static ones.
  package func functions(named wanted: Set<String>) -> [String: Function] {
    let loads = executableSegments()
    return values(of: wanted, kind: Self.function).compactMapValues { symbol in
      guard let load = loads.first(where: { $0.addresses.contains(symbol.value) }) else {
        return nil
      }
      let offset = symbol.value - load.addresses.lowerBound &+ load.fileOffset
      let code = ElfBytes(descriptor, at: offset, count: 16).bytes
      return code.isEmpty ? nil : Function(fileOffset: offset, code: code)
    }
  }

  /// Finds objects by name; gives how far behind the file's first byte in memory each lies.
  package func objects(named wanted: Set<String>) -> [String: UInt64] {
    guard let first = firstAddress else { return [:] }
    return values(of: wanted, kind: Self.object).mapValues { $0.value &- first }
  }

  /// Finds functions by name; gives how far behind the file's first byte in memory the code of each lies.
  package func code(named wanted: Set<String>) -> [String: Range<UInt64>] {
    guard let first = firstAddress else { return [:] }
    return values(of: wanted, kind: Self.function).compactMapValues { symbol in
      let start = symbol.value &- first
      let (end, overflow) = start.addingReportingOverflow(symbol.size)
      return overflow ? nil : start..<end
    }
  }

  /// The link-time address of the file's first byte.
  private var firstAddress: UInt64? {
    segments().first { $0.fileOffset == 0 }?.addresses.lowerBound
  }

  /// What symbols of a kind stand for, by their names.
  private func values(of wanted: Set<String>, kind: UInt8) -> [String: Symbol] {
    var values: [String: Symbol] = [:]
    for type in [Self.dynamicSymbols, Self.staticSymbols] {
      for section in sections
      where section.type == type && values.count < wanted.count
        && sections.indices.contains(Int(section.link))
      {
        collect(wanted, kind, section, names: sections[Int(section.link)], into: &values)
      }
    }
    return values
  }

  private func collect(
    _ wanted: Set<String>, _ wantedKind: UInt8, _ section: Section, names: Section,
    into values: inout [String: Symbol]
  ) {
    let symbols = ElfBytes(descriptor, section.offset, section.size, Self.symbolBytesLimit)
    let texts = ElfBytes(descriptor, names.offset, names.size, Self.nameBytesLimit)
    let spellings = wanted.map { ($0, Array($0.utf8) + [0]) }
    for at in stride(from: 0, to: symbols.count, by: Self.symbolSize) {
      // What is defined here; of functions not one chosen at run time (GNU_IFUNC).
      guard let kind = symbols.value(at: at + 4, UInt8.self), kind & 0xf == wantedKind,
        symbols.value(at: at + 6, UInt16.self) != 0,
        let name = symbols.value(at: at, UInt32.self),
        let value = symbols.value(at: at + 8, UInt64.self), value != 0,
        let size = symbols.value(at: at + 16, UInt64.self)
      else { continue }
      for (text, spelling) in spellings
      where texts.has(spelling, at: Int(name)) && values[text] == nil {
        values[text] = Symbol(value: value, size: size)
      }
    }
  }

  /// A part of the file that is mapped.
  private struct Segment {
    var addresses: Range<UInt64>
    var fileOffset: UInt64
    var isExecutable: Bool
  }

  private func executableSegments() -> [Segment] { segments().filter(\.isExecutable) }

  /// The dynamic linker that the file names; nil where it has none, as a program that holds the C library itself.
  package var interpreter: String? {
    let bytes = programHeaders
    for at in stride(from: 0, to: bytes.count, by: Self.segmentSize)
    where bytes.value(at: at, UInt32.self) == Self.interpreter {
      guard let offset = bytes.value(at: at + 8, UInt64.self),
        let length = bytes.value(at: at + 32, UInt64.self), length < Self.interpreterLimit
      else { continue }
      let text = ElfBytes(descriptor, at: offset, count: Int(length)).bytes.prefix { $0 != 0 }
      if !text.isEmpty { return String(decoding: text, as: UTF8.self) }
    }
    return nil
  }

  private var programHeaders: ElfBytes {
    guard let table = header.value(at: 32, UInt64.self),
      header.value(at: 54, UInt16.self) == UInt16(Self.segmentSize),
      let count = header.value(at: 56, UInt16.self)
    else { return ElfBytes() }
    return ElfBytes(descriptor, at: table, count: min(Int(count), 1000) * Self.segmentSize)
  }

  private func segments() -> [Segment] {
    let bytes = programHeaders
    return stride(from: 0, to: bytes.count, by: Self.segmentSize).compactMap { at in
      guard bytes.value(at: at, UInt32.self) == Self.load,
        let flags = bytes.value(at: at + 4, UInt32.self),
        let offset = bytes.value(at: at + 8, UInt64.self),
        let address = bytes.value(at: at + 16, UInt64.self),
        let size = bytes.value(at: at + 32, UInt64.self)
      else { return nil }
      let (end, overflow) = address.addingReportingOverflow(size)
      guard !overflow else { return nil }
      return Segment(
        addresses: address..<end, fileOffset: offset,
        isExecutable: flags & Self.executable != 0)
    }
  }
}

/// A part of a file, as much of it as there is; every read of it is checked.
private struct ElfBytes {
  private(set) var bytes: [UInt8] = []

  var count: Int { bytes.count }

  init() {}

  init(_ descriptor: OwnedDescriptor, at offset: UInt64, count: Int) {
    guard let start = off_t(exactly: offset), count > 0 else { return }
    var information = stat()
    // What a damaged header promises may be far more than there is.
    guard fstat(descriptor.number, &information) == 0, start < information.st_size else { return }
    bytes = [UInt8](repeating: 0, count: min(count, Int(information.st_size - start)))
    let read = bytes.withUnsafeMutableBytes {
      pread(descriptor.number, $0.baseAddress, $0.count, start)
    }
    bytes.removeLast(bytes.count - max(0, read))
  }

  /// At most `limit` bytes of a part whose place and size the file gives.
  init(_ descriptor: OwnedDescriptor, _ offset: UInt64, _ size: UInt64, _ limit: Int) {
    self.init(descriptor, at: offset, count: min(Int(clamping: size), limit))
  }

  @inline(__always)
  func value<Number: FixedWidthInteger>(at offset: Int, _: Number.Type) -> Number? {
    guard offset >= 0, offset <= bytes.count - MemoryLayout<Number>.size else { return nil }
    return bytes.withUnsafeBytes {
      Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self))
    }
  }

  /// Whether these bytes stand at an offset.
  @inline(__always)
  func has(_ text: [UInt8], at offset: Int) -> Bool {
    guard offset >= 0, offset <= bytes.count - text.count, bytes[offset] == text.first else {
      return false
    }
    return bytes[offset..<offset + text.count].elementsEqual(text)
  }
}
