import CElf

/// The parts of an ELF file that are read when it is opened.
extension ModuleReader {
  static func machine(of elf: OpaquePointer, path: String) throws(ModuleReaderError) -> Machine {
    var header = GElf_Ehdr()
    guard libdw.elf_kind(elf) == ELF_K_ELF, libdw.gelf_getehdr(elf, &header) != nil else {
      throw .unsupported(path: path, reason: "is not an ELF file")
    }
    guard libdw.gelf_getclass(elf) == ELFCLASS64, header.e_ident.5 == UInt8(ELFDATA2LSB) else {
      throw .unsupported(path: path, reason: "is not a 64-bit little-endian ELF file")
    }
    switch Int32(header.e_machine) {
    case EM_X86_64: return .x86
    case EM_AARCH64: return .arm
    default:
      throw .unsupported(path: path, reason: "is for an unknown machine \(header.e_machine)")
    }
  }

  static func segments(of elf: OpaquePointer, fileSize: UInt64) -> [Segment] {
    var result: [Segment] = []
    for header in programHeaders(of: elf) where header.p_type == UInt32(PT_LOAD) {
      // A header that reaches past the end of the file is cut to what is there.
      guard header.p_offset < fileSize || header.p_filesz == 0 else { continue }
      let size = min(header.p_filesz, fileSize - min(fileSize, header.p_offset))
      guard !header.p_vaddr.addingReportingOverflow(size).overflow else { continue }
      result.append(
        Segment(
          fileOffset: header.p_offset, fileSize: size, address: header.p_vaddr,
          isExecutable: header.p_flags & UInt32(PF_X) != 0))
    }
    return result
  }

  static func sections(of elf: OpaquePointer, fileSize: UInt64) -> [Section] {
    var nameIndex = 0
    guard libdw.elf_getshdrstrndx(elf, &nameIndex) == 0 else { return [] }
    var result: [Section] = []
    var next = libdw.elf_nextscn(elf, nil)
    while let pointer = next, result.count < Limit.sections {
      next = libdw.elf_nextscn(elf, pointer)
      var header = GElf_Shdr()
      guard libdw.gelf_getshdr(pointer, &header) != nil else { continue }
      if header.sh_type != UInt32(SHT_NOBITS) {
        let (end, overflow) = header.sh_offset.addingReportingOverflow(header.sh_size)
        guard !overflow, end <= fileSize else { continue }
      }
      guard let name = libdw.elf_strptr(elf, nameIndex, Int(header.sh_name)) else { continue }
      result.append(Section(pointer: pointer, header: header, name: String(cString: name)))
    }
    return result
  }

  static func buildID(of elf: OpaquePointer, fileSize: UInt64) -> [UInt8]? {
    for header in programHeaders(of: elf) where header.p_type == UInt32(PT_NOTE) {
      let (end, overflow) = header.p_offset.addingReportingOverflow(header.p_filesz)
      guard !overflow, end <= fileSize, header.p_filesz <= 1 << 20 else { continue }
      let type = header.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR
      guard
        let data = libdw.elf_getdata_rawchunk(
          elf, Int64(header.p_offset), Int(header.p_filesz), type),
        let buffer = data.pointee.d_buf
      else { continue }
      let bytes = UnsafeRawBufferPointer(start: buffer, count: data.pointee.d_size)
      var offset = 0
      while offset < bytes.count {
        var note = GElf_Nhdr()
        var nameOffset = 0
        var contentOffset = 0
        let following = libdw.gelf_getnote(data, offset, &note, &nameOffset, &contentOffset)
        guard following > offset else { break }
        offset = following
        guard note.n_type == 3, note.n_namesz == 4, (1...64).contains(note.n_descsz),
          nameOffset + 4 <= bytes.count, contentOffset + Int(note.n_descsz) <= bytes.count,
          bytes[nameOffset..<nameOffset + 4].elementsEqual([0x47, 0x4e, 0x55, 0])
        else { continue }
        return Array(bytes[contentOffset..<contentOffset + Int(note.n_descsz)])
      }
    }
    return nil
  }

  private static func programHeaders(of elf: OpaquePointer) -> [GElf_Phdr] {
    var count = 0
    guard libdw.elf_getphdrnum(elf, &count) == 0 else { return [] }
    return (0..<min(count, 65_536)).compactMap { index in
      var header = GElf_Phdr()
      return libdw.gelf_getphdr(elf, Int32(index), &header) == nil ? nil : header
    }
  }
}
