#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Memory that keeps its contents as it grows: unlike an array's, a large block's pages are moved then, not copied.
///
/// The program ends when there is none, and says so.
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
    guard let memory = realloc(old, size) else {
      let text =
        "lull: there is no memory for \(size) bytes: read a part of the trace with --from and --to, or all of it on "
        + "a machine that has more\n"
      _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) }
      // EX_OSERR of sysexits.h.
      exit(71)
    }
    return memory
  }
}
