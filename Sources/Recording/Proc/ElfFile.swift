import CElf
import Glibc

/// What the recorder needs of an executable or library: section names and functions' places.
///
/// Damaged files give fewer answers, never a failure.
package final class ElfFile {
  /// A function in the file.
  package struct Function: Equatable, Sendable {
    /// Where its first instruction is in the file.
    package var fileOffset: UInt64
    /// Its first bytes.
    package var code: [UInt8]
  }

  private let descriptor: OwnedDescriptor
  private let elf: OpaquePointer
  private static let sectionLimit = 20_000
  private static let symbolLimit = 4_000_000

  /// Opens a file; nil when it cannot be read or is not ELF.
  package init?(path: String) {
    guard elf_version(UInt32(EV_CURRENT)) != UInt32(EV_NONE),
      // A FIFO must not block us.
      let descriptor = OwnedDescriptor(opening: path, flags: O_RDONLY | O_NONBLOCK)
    else { return nil }
    var information = stat()
    guard fstat(descriptor.number, &information) == 0,
      information.st_mode & S_IFMT == S_IFREG,
      // Not mapped: a file cut short while it is read must not kill us by SIGBUS.
      let elf = elf_begin(descriptor.number, ELF_C_READ, nil)
    else { return nil }
    guard elf_kind(elf) == ELF_K_ELF else {
      elf_end(elf)
      return nil
    }
    self.descriptor = descriptor
    self.elf = elf
  }

  deinit { elf_end(elf) }

  /// Whether a section's name begins with any of these.
  package func hasSection(withPrefix prefixes: [String]) -> Bool {
    var names = 0
    guard elf_getshdrstrndx(elf, &names) == 0 else { return false }
    var found = false
    forEachSection { _, header in
      guard let name = elf_strptr(elf, names, Int(header.sh_name)) else { return true }
      // A name without end would run out of the table: libelf checks that it ends.
      let text = String(cString: name)
      found = prefixes.contains { text.hasPrefix($0) }
      return !found
    }
    return found
  }

  /// Whether the file has Swift's metadata, which survives `strip`.
  package var hasSwiftMetadata: Bool {
    hasSection(withPrefix: ["swift5_", ".swift5_", "swift6_"])
  }

  /// Finds functions by name in the dynamic symbols, then in the static ones.
  package func functions(named wanted: Set<String>) -> [String: Function] {
    var values: [String: UInt64] = [:]
    for type in [UInt32(SHT_DYNSYM), UInt32(SHT_SYMTAB)] where values.count < wanted.count {
      forEachSection { section, header in
        if header.sh_type == type { collect(wanted, section, header, into: &values) }
        return values.count < wanted.count
      }
    }
    let loads = executableSegments()
    return values.compactMapValues { value in
      guard let load = loads.first(where: { $0.addresses.contains(value) }) else { return nil }
      let offset = value - load.addresses.lowerBound &+ load.fileOffset
      var code = [UInt8](repeating: 0, count: 16)
      let count = pread(descriptor.number, &code, code.count, off_t(truncatingIfNeeded: offset))
      return count > 0 ? Function(fileOffset: offset, code: Array(code[..<count])) : nil
    }
  }

  private func forEachSection(_ body: (OpaquePointer, GElf_Shdr) -> Bool) {
    var section = elf_nextscn(elf, nil)
    var count = 0
    while let current = section, count < Self.sectionLimit {
      var header = GElf_Shdr()
      if gelf_getshdr(current, &header) != nil, !body(current, header) { return }
      section = elf_nextscn(elf, current)
      count += 1
    }
  }

  private func collect(
    _ wanted: Set<String>, _ section: OpaquePointer, _ header: GElf_Shdr,
    into values: inout [String: UInt64]
  ) {
    guard header.sh_entsize > 0, let data = elf_getdata(section, nil) else { return }
    let count = min(Int(clamping: header.sh_size / header.sh_entsize), Self.symbolLimit)
    for index in 0..<count {
      var symbol = GElf_Sym()
      guard gelf_getsym(data, Int32(index), &symbol) != nil else { return }
      // A function that is defined here; not one chosen at run time (GNU_IFUNC).
      guard symbol.st_info & 0xf == UInt8(STT_FUNC), symbol.st_shndx != 0, symbol.st_value != 0,
        let pointer = elf_strptr(elf, Int(header.sh_link), Int(symbol.st_name))
      else { continue }
      let name = String(cString: pointer)
      if wanted.contains(name), values[name] == nil { values[name] = symbol.st_value }
    }
  }

  private func executableSegments() -> [(addresses: Range<UInt64>, fileOffset: UInt64)] {
    var count = 0
    guard elf_getphdrnum(elf, &count) == 0 else { return [] }
    var found: [(addresses: Range<UInt64>, fileOffset: UInt64)] = []
    for index in 0..<min(count, 1000) {
      var header = GElf_Phdr()
      guard gelf_getphdr(elf, Int32(index), &header) != nil,
        header.p_type == UInt32(PT_LOAD), header.p_flags & UInt32(PF_X) != 0
      else { continue }
      let (end, overflow) = header.p_vaddr.addingReportingOverflow(header.p_filesz)
      if !overflow { found.append((header.p_vaddr..<end, header.p_offset)) }
    }
    return found
  }
}
