#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Memory that keeps its contents as it grows: unlike an array's, a large block's pages are moved then, not copied.
///
/// As where Swift's own collections find no memory, the program ends when there is none.
public final class GrowingMemory: @unchecked Sendable {
  // Unchecked because a pointer is not Sendable: only the one owner of a block writes to it.
  public private(set) var base: UnsafeMutableRawPointer

  /// Room for so many bytes, which hold nothing yet.
  public init(byteCount: Int) { base = Self.memory(nil, byteCount) }

  deinit { free(base) }

  public func grow(to byteCount: Int) { base = Self.memory(base, byteCount) }

  private static func memory(
    _ old: UnsafeMutableRawPointer?, _ byteCount: Int
  ) -> UnsafeMutableRawPointer {
    let size = max(byteCount, 1)
    guard let memory = realloc(old, size) else { fatalError("no memory for \(size) bytes") }
    return memory
  }
}
