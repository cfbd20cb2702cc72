#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Where files are put that are needed for a moment.
package enum TemporaryFolder {
  /// Where they go unless the user says otherwise: a pod's or a unit's root may be read-only, and what is in memory
  /// comes last.
  private static let places = ["/tmp", "/var/tmp", ".", "/dev/shm"]

  /// `$TMPDIR`, else the first of the usual places that may be written; `/tmp` where none may.
  package static var path: String {
    if let asked = getenv("TMPDIR") { return String(cString: asked) }
    return places.first { access($0, W_OK | X_OK) == 0 } ?? places[0]
  }
}
