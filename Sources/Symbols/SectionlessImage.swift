import CElf
import Glibc

/// A module's file as it would be without a table of sections.
///
/// libdw uses the index of the call frame information only where that stands before it among the sections, which is
/// not the case in what gold links (the Swift compiler): it goes through all of it then, and keeps each part. By the
/// program headers it always finds the index.
final class SectionlessImage {
  let elf: OpaquePointer
  private let bytes: UnsafeMutableRawBufferPointer

  init?(descriptor: Int32) {
    var status = stat()
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    guard fstat(descriptor, &status) == 0, status.st_size > MemoryLayout<Elf64_Ehdr>.size,
      let base = mmap(nil, Int(status.st_size), PROT_READ, MAP_PRIVATE, descriptor, 0),
      base != UnsafeMutableRawPointer(bitPattern: -1)
    else { return nil }
    bytes = UnsafeMutableRawBufferPointer(start: base, count: Int(status.st_size))
    // Only the page with the header is copied.
    guard mprotect(base, page, PROT_READ | PROT_WRITE) == 0 else {
      munmap(base, bytes.count)
      return nil
    }
    let header = base.assumingMemoryBound(to: Elf64_Ehdr.self)
    header.pointee.e_shoff = 0
    header.pointee.e_shnum = 0
    header.pointee.e_shstrndx = 0
    guard let elf = libdw.elf_memory(base, bytes.count) else {
      munmap(base, bytes.count)
      return nil
    }
    self.elf = elf
  }

  deinit {
    _ = libdw.elf_end(elf)
    munmap(bytes.baseAddress, bytes.count)
  }
}
