import CMalloc
import Glibc

/// The memory of a command that does nothing but analyse, taken from the system in large pages.
///
/// A pass over a large trace writes tens of megabytes once. In pages of 4 KB the system is asked for each, which takes a tenth to a
/// fifth of the pass. Where there are no large pages to be had, memory is what it was.
enum AnalysisHeap {
  /// Bytes of the address space, of which memory is taken as it is written to.
  private static let reserved = 64 << 20
  private static let largePage = 2 << 20
  /// Larger blocks are mapped on their own: they grow without being copied, and go back when they are freed.
  private static let largestPart = 1 << 20

  /// To be called while there is no other thread.
  static func prepare() {
    // A thread's own heap would not be in large pages.
    mallopt(M_ARENA_MAX, 1)
    mallopt(M_MMAP_THRESHOLD, Int32(largestPart))
    mallopt(M_TOP_PAD, Int32(reserved))
    guard let end = sbrk(0), end != UnsafeMutableRawPointer(bitPattern: -1) else { return }
    let start = (Int(bitPattern: end) + largePage - 1) / largePage * largePage
    guard sbrk(start - Int(bitPattern: end)) == end,
      let first = UnsafeMutableRawPointer(bitPattern: start)
    else { return }
    lull_make_room(largestPart / 2)
    guard let top = sbrk(0), top > first else { return }
    madvise(first, top - first, MADV_HUGEPAGE)
  }
}
