#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The bytes of a file as the kernel keeps them, which are not copied. Who makes the file shorter meanwhile ends the
/// program that looks at them (SIGBUS): it is for files that others replace and do not change.
package final class MappedFile: @unchecked Sendable {
  // Unchecked because a pointer is not Sendable: nothing writes to the block.
  package let bytes: UnsafeRawBufferPointer

  /// The first `count` bytes of an open file, of which there are some, and which stays its owner's to close. Nil leaves
  /// the cause in `errno`.
  package init?(descriptor: Int32, count: Int) {
    guard let base = mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0),
      base != UnsafeMutableRawPointer(bitPattern: -1)
    else { return nil }
    bytes = UnsafeRawBufferPointer(start: base, count: count)
  }

  /// Gives the whole pages of a range back; they are read again when they are looked at again.
  package func release(_ range: Range<Int>) {
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    let start = (range.lowerBound + page - 1) / page * page
    let end = range.upperBound / page * page
    guard start < end, end <= bytes.count, let base = bytes.baseAddress else { return }
    // The pages are clean, so nothing is lost; an error only means that they stay.
    _ = madvise(UnsafeMutableRawPointer(mutating: base + start), end - start, MADV_DONTNEED)
  }

  deinit { munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count) }
}
