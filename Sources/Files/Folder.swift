#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Why it is not known what a folder holds.
package struct FolderError: Error, CustomStringConvertible, Sendable {
  /// The folder.
  package var path: String
  /// The errno.
  package var code: Int32

  /// One line: what happened to which folder, and what to do.
  package var description: String {
    let advice =
      switch code {
      case EACCES, EPERM: "; ask its owner, or run as a user who may list it"
      case EMFILE: "; raise `ulimit -n`"
      case ENOENT, ENOTDIR: "; check the path"
      default: ""
      }
    return "cannot list \(path): \(String(cString: strerror(code)))\(advice)"
  }
}

/// Folders of plain files.
package enum Folder {
  /// The names of what a folder holds, in no order, without its own and its parent's.
  ///
  /// - Throws: Where not all of them are known.
  package static func names(in path: String) throws(FolderError) -> [String] {
    guard let listing = opendir(path) else { throw FolderError(path: path, code: errno) }
    return try names(taking: listing, of: path)
  }

  /// The same of a folder that is open, which stays so; its path is for the error.
  package static func names(
    in descriptor: Int32, of path: String
  ) throws(FolderError) -> [String] {
    // The copy has a place of its own in the listing.
    let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0 else { throw FolderError(path: path, code: errno) }
    guard let listing = fdopendir(copy) else {
      let cause = errno
      close(copy)
      throw FolderError(path: path, code: cause)
    }
    return try names(taking: listing, of: path)
  }

  /// The same; nil where the path is no folder that can be seen: who opens it as a file is told what it is.
  package static func names(inAny path: String) throws(FolderError) -> [String]? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
    return try names(in: path)
  }

  private static func names(
    taking listing: OpaquePointer, of path: String
  ) throws(FolderError) -> [String] {
    defer { closedir(listing) }
    return try names(of: path) { readdir(listing) }
  }

  /// The names of the entries that are given one after another; nil ends them, or tells of an error by `errno`.
  static func names(
    of path: String, next: () -> UnsafeMutablePointer<dirent>?
  ) throws(FolderError) -> [String] {
    guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return [] }
    var names: [String] = []
    while true {
      // At the end it stays as it was.
      errno = 0
      guard let entry = next() else {
        let cause = errno
        guard cause == 0 else { throw FolderError(path: path, code: cause) }
        return names
      }
      // Not by value: an entry may end before the 256 bytes that its type has.
      let text = (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self)
      let name = String(cString: text)
      if name != ".", name != ".." { names.append(name) }
    }
  }

  /// Removes a folder with the files in it; one that holds folders stays, without its files.
  ///
  /// One that cannot be listed stays as it is: what is removed so is a remainder, in which nobody looks for anything.
  package static func remove(_ path: String) {
    for name in (try? names(in: path)) ?? [] { unlink("\(path)/\(name)") }
    rmdir(path)
  }
}
