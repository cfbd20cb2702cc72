import CElf
import CZstd
import Glibc
import Quantities

/// The debug sections of a file that compressed some of them by zstd, as an ELF image that holds those unpacked.
///
/// Only libdw since 0.189 reads such sections, and only where it was built with zstd. What zlib compressed it reads
/// itself.
final class UnpackedSections {
  /// Why they cannot be unpacked.
  struct Failure: Error {
    var reason: String
  }

  private struct Part {
    var header: Elf64_Shdr
    var source: ModuleReader.Section
    /// Bytes of zstd begin this far into the section.
    var packedAt: UInt64?
  }

  private static let zstd: UInt32 = 2

  let elf: OpaquePointer
  private let image: UnsafeMutableRawBufferPointer

  /// Nil where libdw can read the file as it is.
  init?(of reader: ModuleReader) throws(Failure) {
    var parts: [Part] = []
    for section in reader.sections
    where section.name.hasPrefix(".debug_") && section.header.sh_type != UInt32(SHT_NOBITS) {
      let part = try Self.part(section)
      parts.append(part)
    }
    guard parts.contains(where: { $0.packedAt != nil }) else { return nil }
    let most = ModuleReader.Limit.uncompressedSections
    var left = most
    for part in parts {
      guard part.header.sh_size <= left else {
        throw Failure(
          reason: "its debug sections take more than \(Figures.bytes(most)) unpacked"
        )
      }
      left -= part.header.sh_size
    }
    image = try Self.layOut(&parts, of: reader)
    do throws(Failure) {
      for part in parts { try Self.fill(image, part, from: reader) }
      guard let elf = libdw.elf_memory(image.baseAddress, image.count) else {
        throw Failure(reason: "its unpacked debug sections cannot be read")
      }
      self.elf = elf
    } catch {
      munmap(image.baseAddress, image.count)
      throw error
    }
  }

  deinit {
    _ = libdw.elf_end(elf)
    munmap(image.baseAddress, image.count)
  }

  /// What becomes of a section; sizes that no compression reaches are refused, whoever unpacks it.
  private static func part(_ section: ModuleReader.Section) throws(Failure) -> Part {
    var header = section.header
    guard header.sh_flags & UInt64(SHF_COMPRESSED) != 0 else {
      return Part(header: header, source: section)
    }
    var compression = GElf_Chdr()
    guard libdw.gelf_getchdr(section.pointer, &compression) != nil else {
      throw Failure(reason: "\(section.name) is called compressed and is not")
    }
    let mostBySize = header.sh_size.multipliedReportingOverflow(by: ModuleReader.Limit.largestRatio)
    let believed = min(
      ModuleReader.Limit.uncompressedSection,
      mostBySize.overflow ? .max : max(ModuleReader.Limit.alwaysUnpacked, mostBySize.partialValue))
    guard compression.ch_size <= believed else {
      throw Failure(
        reason:
          "\(section.name) would unpack from \(header.sh_size) to \(compression.ch_size) bytes")
    }
    if compression.ch_type == UInt32(ELFCOMPRESS_ZLIB) {
      return Part(header: header, source: section)
    }
    guard compression.ch_type == zstd else {
      throw Failure(
        reason: "\(section.name) is compressed in a way that is not known (\(compression.ch_type))")
    }
    header.sh_flags &= ~UInt64(SHF_COMPRESSED)
    header.sh_size = compression.ch_size
    header.sh_addralign = compression.ch_addralign
    return Part(header: header, source: section, packedAt: UInt64(MemoryLayout<Elf64_Chdr>.size))
  }

  /// Memory with the headers of an ELF file of these sections, and room for what they hold.
  ///
  /// It is anonymous: of a size that a file only claims nothing is taken before it is filled.
  private static func layOut(
    _ parts: inout [Part], of reader: ModuleReader
  ) throws(Failure) -> UnsafeMutableRawBufferPointer {
    var names: [UInt8] = [0]
    var end = UInt64(MemoryLayout<Elf64_Ehdr>.size)
    func place(_ size: UInt64) -> UInt64 {
      let start = (end + 15) & ~15
      end = start + size
      return start
    }
    for index in parts.indices {
      parts[index].header.sh_name = UInt32(names.count)
      names += Array(parts[index].source.name.utf8) + [0]
      parts[index].header.sh_offset = place(parts[index].header.sh_size)
      // Neither points at a section of this image.
      parts[index].header.sh_link = 0
      parts[index].header.sh_info = 0
    }
    var strings = Elf64_Shdr()
    strings.sh_name = UInt32(names.count)
    names += Array(".shstrtab".utf8) + [0]
    strings.sh_type = UInt32(SHT_STRTAB)
    strings.sh_size = UInt64(names.count)
    strings.sh_addralign = 1
    strings.sh_offset = place(strings.sh_size)
    let headers = [Elf64_Shdr()] + parts.map(\.header) + [strings]
    let table = place(UInt64(headers.count * MemoryLayout<Elf64_Shdr>.size))
    var file = GElf_Ehdr()
    guard libdw.gelf_getehdr(reader.elf, &file) != nil else {
      throw Failure(reason: "its header cannot be read")
    }
    file.e_phoff = 0
    file.e_phnum = 0
    file.e_shoff = table
    file.e_shnum = UInt16(clamping: headers.count)
    file.e_shstrndx = UInt16(clamping: headers.count - 1)
    guard headers.count < Int(SHN_LORESERVE) else {
      throw Failure(reason: "it has \(headers.count) debug sections")
    }
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
    guard let base = mmap(nil, Int(end), PROT_READ | PROT_WRITE, flags, -1, 0), base != MAP_FAILED
    else { throw Failure(reason: "there is no memory for \(end) bytes of debug sections") }
    let image = UnsafeMutableRawBufferPointer(start: base, count: Int(end))
    image.storeBytes(of: file, as: Elf64_Ehdr.self)
    for (index, header) in headers.enumerated() {
      image.storeBytes(
        of: header, toByteOffset: Int(table) + index * MemoryLayout<Elf64_Shdr>.size,
        as: Elf64_Shdr.self)
    }
    names.withUnsafeBytes {
      UnsafeMutableRawBufferPointer(rebasing: image[Int(strings.sh_offset)...]).copyMemory(from: $0)
    }
    return image
  }

  /// Copies or unpacks what a section holds.
  private static func fill(
    _ image: UnsafeMutableRawBufferPointer, _ part: Part, from reader: ModuleReader
  ) throws(Failure) {
    let start = Int(part.header.sh_offset)
    let target = UnsafeMutableRawBufferPointer(
      rebasing: image[start..<start + Int(part.header.sh_size)])
    let (offset, size) = (part.source.header.sh_offset, part.source.header.sh_size)
    guard let packedAt = part.packedAt else {
      return try read(reader, target, at: offset, of: part)
    }
    guard let library = lull_zstd()?.pointee else {
      throw Failure(reason: "libzstd1 has to be installed to unpack its debug sections")
    }
    let packed = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Int(size - packedAt), alignment: 16)
    defer { packed.deallocate() }
    try read(reader, packed, at: offset + packedAt, of: part)
    let result = library.ZSTD_decompress(
      target.baseAddress, target.count, packed.baseAddress, packed.count)
    guard library.ZSTD_isError(result) == 0, result == target.count else {
      throw Failure(reason: "what zstd compressed of \(part.source.name) is damaged")
    }
  }

  private static func read(
    _ reader: ModuleReader, _ target: UnsafeMutableRawBufferPointer, at offset: UInt64,
    of part: Part
  ) throws(Failure) {
    var done = 0
    while done < target.count {
      let count = pread(
        reader.descriptor, target.baseAddress.map { $0 + done }, target.count - done,
        off_t(offset) + done)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Failure(reason: "\(part.source.name) cannot be read") }
      done += count
    }
  }
}
