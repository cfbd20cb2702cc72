import CElf
import Glibc

extension ModuleReader {
  /// The call frame information of `.eh_frame`, flattened.
  public func callFrames() -> CallFrameTable {
    guard let section = section(".eh_frame"), section.header.sh_type != UInt32(SHT_NOBITS),
      let data = libdw.elf_getdata(section.pointer, nil), let base = data.pointee.d_buf,
      let identity = libdw.elf_getident(elf, nil), let information = libdw.dwarf_getcfi_elf(elf)
    else { return .empty }
    defer { _ = libdw.dwarf_cfi_end(information) }
    let ident = UnsafeRawPointer(identity).assumingMemoryBound(to: UInt8.self)
    let contents = UnsafeRawBufferPointer(start: base, count: data.pointee.d_size)
    var builder = CallFrameBuilder(information: information, machine: machine)
    var encodings: [UInt64: UInt8] = [:]
    var offset: UInt64 = 0
    while builder.hasRoom {
      var next: UInt64 = 0
      var entry = Dwarf_CFI_Entry()
      let status = libdw.dwarf_next_cfi(ident, data, true, offset, &next, &entry)
      if status > 0 || next <= offset || next == UInt64.max { break }
      defer { offset = next }
      guard status == 0 else { continue }
      if entry.CIE_id == UInt64.max {
        encodings[offset] = Self.pointerEncoding(entry.cie)
      } else if let encoding = encodings[entry.fde.CIE_pointer],
        let range = Self.range(
          of: entry.fde, encoding: encoding, contents: contents,
          sectionAddress: section.header.sh_addr),
        isExecutable(range.start)
      {
        builder.append(range)
      }
    }
    return builder.table
  }

  /// How to leave the function at a link-time address: found by the file's own index, where it has one.
  func callFrame(at address: UInt64) -> Ranged<FrameRule?> {
    guard isExecutable(address), let information = openCallFrames() else {
      return Ranged(range: address...address, value: nil)
    }
    return CallFrameBuilder(information: information, machine: machine).rule(at: address)
  }

  private func isExecutable(_ address: UInt64) -> Bool {
    segments.contains {
      $0.isExecutable && address >= $0.address && address - $0.address < $0.fileSize
    }
  }

  /// The encoding of code addresses that a CIE states; absolute if it states none.
  private static func pointerEncoding(_ entry: Dwarf_CIE) -> UInt8 {
    guard let augmentation = entry.augmentation, augmentation[0] == 0x7a,
      let data = entry.augmentation_data
    else { return 0 }
    var used = 0
    for character in String(cString: augmentation).utf8.dropFirst() {
      guard used < entry.augmentation_data_size else { return 0xff }
      switch character {
      case 0x52: return data[used]  // R
      case 0x4c: used += 1  // L
      case 0x50:  // P: an encoding and a pointer
        guard let size = size(ofEncoding: data[used]) else { return 0xff }
        used += 1 + size
      case 0x53, 0x42: continue  // S, B: no data
      default: return 0xff
      }
    }
    return 0
  }

  private static func size(ofEncoding encoding: UInt8) -> Int? {
    switch encoding & 0x0f {
    case 0x00, 0x04, 0x0c: 8
    case 0x03, 0x0b: 4
    case 0x02, 0x0a: 2
    default: nil
    }
  }

  private static func range(
    of entry: Dwarf_FDE, encoding: UInt8, contents: UnsafeRawBufferPointer, sectionAddress: UInt64
  ) -> Range64? {
    guard let size = size(ofEncoding: encoding), let base = contents.baseAddress,
      let first = entry.start, [0x00, 0x10].contains(encoding & 0x70), encoding & 0x80 == 0
    else { return nil }
    let position = UnsafeRawPointer(first) - base
    guard position >= 0, position + 2 * size <= contents.count else { return nil }
    let isSigned = encoding & 0x08 != 0
    func value(_ at: Int, signed: Bool) -> UInt64 {
      switch size {
      case 8: return contents.loadUnaligned(fromByteOffset: at, as: UInt64.self)
      case 4:
        let raw = contents.loadUnaligned(fromByteOffset: at, as: UInt32.self)
        return signed ? UInt64(bitPattern: Int64(Int32(bitPattern: raw))) : UInt64(raw)
      default:
        let raw = contents.loadUnaligned(fromByteOffset: at, as: UInt16.self)
        return signed ? UInt64(bitPattern: Int64(Int16(bitPattern: raw))) : UInt64(raw)
      }
    }
    var start = value(position, signed: isSigned)
    if encoding & 0x70 == 0x10 { start = start &+ sectionAddress &+ UInt64(position) }
    let length = value(position + size, signed: false)
    let (end, overflow) = start.addingReportingOverflow(length)
    return overflow || length == 0 ? nil : Range64(start: start, end: end)
  }
}

/// A half-open range of addresses.
struct Range64 {
  var start: UInt64
  var end: UInt64
}
