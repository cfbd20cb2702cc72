#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Folders of plain files.
package enum Folder {
  /// The names of what a folder holds, in no order, without its own and its parent's.
  ///
  /// - Returns: Nil where it can't be opened, with the cause in `errno`.
  package static func names(in path: String) -> [String]? {
    guard let listing = opendir(path) else { return nil }
    return names(taking: listing)
  }

  /// The same of a folder that is open, which stays so.
  package static func names(in descriptor: Int32) -> [String]? {
    // The copy has a place of its own in the listing.
    let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0 else { return nil }
    guard let listing = fdopendir(copy) else {
      let cause = errno
      close(copy)
      errno = cause
      return nil
    }
    return names(taking: listing)
  }

  private static func names(taking listing: OpaquePointer) -> [String] {
    defer { closedir(listing) }
    guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return [] }
    var names: [String] = []
    while let entry = readdir(listing) {
      // Not by value: an entry may end before the 256 bytes that its type has.
      let text = (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self)
      let name = String(cString: text)
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// Removes a folder with the files in it; one that holds folders stays, without its files.
  package static func remove(_ path: String) {
    for name in names(in: path) ?? [] { unlink("\(path)/\(name)") }
    rmdir(path)
  }
}
