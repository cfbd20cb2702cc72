import CFileUser

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A folder of files that can be made again at any time, of one user, who alone may write there.
///
/// Nothing is an error: what cannot be kept is made again the next time. Under sudo all of it is done with the rights
/// of the user who called, so that no link that he puts there leads to another's file.
package struct CacheFolder: Sendable {
  package let path: String
  private let uid: uid_t
  private let gid: gid_t
  /// The bytes of all files together; those that were not used for longest go first.
  private let limit: UInt64

  /// What a file begins with; the checksum follows it.
  private static let magic: [UInt8] = Array("lullkeep".utf8)
  /// How many bytes stand before the contents of a file.
  package static let head = 16

  /// `user` is who called sudo.
  package init(path: String, user: InvokingUser?, limit: UInt64 = 512 << 20) {
    self.path = path
    self.limit = limit
    uid = user?.uid ?? geteuid()
    gid = user?.gid ?? getegid()
  }

  /// The folder of that name among the user's caches: in `$XDG_CACHE_HOME`, else in `.cache` at home.
  ///
  /// Nil where no home is known.
  package static func standard(
    _ name: String, environment value: (String) -> String?
  ) -> CacheFolder? {
    let user = InvokingUser(environment: value)
    // Under sudo HOME may still be root's, or the other way round.
    let home = user.map { Self.home(of: $0.uid) } ?? value("HOME")
    let asked = value("XDG_CACHE_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
    guard let base = asked ?? home.flatMap({ $0.hasPrefix("/") ? $0 + "/.cache" : nil }) else {
      return nil
    }
    return CacheFolder(path: "\(base)/\(name)", user: user)
  }

  private static func home(of uid: uid_t) -> String? {
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 16 << 10)
    guard getpwuid_r(uid, &entry, &buffer, buffer.count, &found) == 0, found != nil,
      let home = entry.pw_dir
    else { return nil }
    return String(cString: home)
  }

  /// All bytes of a file, `head` of them before its contents; nil where it is not there, is not the user's own or is
  /// not as it was written. It stays as it is: a file is replaced as a whole.
  package func read(_ name: String) -> MappedFile? {
    inFolder(making: false) { folder in
      let file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
      guard file >= 0 else { return nil }
      defer { close(file) }
      var status = stat()
      guard fstat(file, &status) == 0, isOwn(status, S_IFREG), status.st_size >= Self.head,
        status.st_size <= limit
      else { return nil }
      guard
        let mapped = MappedFile(descriptor: file, count: Int(status.st_size)),
        mapped.bytes.starts(with: Self.magic),
        // Of a large table little is asked for: what was only summed up is not to stay in memory.
        Checksum.stored(in: mapped.bytes, at: Self.magic.count)
          == Checksum.of(mapped.bytes, from: Self.head, passed: mapped.release)
      else { return nil }
      // What was used is kept for longer.
      futimens(file, nil)
      return mapped
    }
  }

  /// Keeps the contents under a name; others see all of it or nothing.
  package func write(_ contents: [UInt8], as name: String) {
    guard contents.count <= limit / 4 else { return }
    let sum = contents.withUnsafeBytes { Checksum.of($0, from: 0) }.littleEndian
    let head = Self.magic + withUnsafeBytes(of: sum) { Array($0) }
    inFolder(making: true) { folder in
      let beside = ".\(name).\(getpid()).part"
      let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
      let file = openat(folder, beside, flags, 0o600)
      guard file >= 0 else { return }
      let isWritten =
        OutputFile.writeAll(head, to: file) == 0 && OutputFile.writeAll(contents, to: file) == 0
      if close(file) != 0 || !isWritten || renameat(folder, beside, folder, name) != 0 {
        unlinkat(folder, beside, 0)
      }
    }
  }

  /// Removes what was not used for longest until there is room, and what writers that were killed left.
  package func trim() {
    inFolder(making: false) { folder in
      var files: [(name: String, size: UInt64, used: Int)] = []
      // What cannot be listed is trimmed by the next writer.
      for name in (try? Folder.names(in: folder, of: path)) ?? [] {
        var status = stat()
        guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
        if name.hasSuffix(".part"), time(nil) - status.st_mtim.tv_sec > 3600 {
          unlinkat(folder, name, 0)
        } else {
          files.append((name, UInt64(max(0, status.st_size)), status.st_mtim.tv_sec))
        }
      }
      var total = files.reduce(0) { $0 + $1.size }
      guard total > limit else { return }
      for file in files.sorted(by: { ($0.used, $0.name) < ($1.used, $1.name) }) {
        // Some room, so that not each writer has to look.
        guard total > limit / 4 * 3 else { return }
        if unlinkat(folder, file.name, 0) == 0 { total -= file.size }
      }
    }
  }

  private func isOwn(_ status: stat, _ kind: mode_t) -> Bool {
    status.st_mode & S_IFMT == kind && status.st_uid == uid && status.st_mode & 0o022 == 0
  }

  /// Opens the folder with the user's rights, and does something in it.
  private func inFolder<Result>(
    making: Bool, _ work: (_ folder: Int32) -> Result?
  ) -> Result? {
    var before = lull_file_user()
    guard lull_act_as(lull_file_user(uid: uid, gid: gid), &before) else { return nil }
    defer {
      var user = lull_file_user()
      _ = lull_act_as(before, &user)
    }
    if making { make() }
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard folder >= 0 else { return nil }
    defer { close(folder) }
    var status = stat()
    guard fstat(folder, &status) == 0, isOwn(status, S_IFDIR) else { return nil }
    return work(folder)
  }

  /// With the folders above it, as the XDG base directory specification says.
  private func make() {
    guard access(path, F_OK) != 0 else { return }
    var above = ""
    for part in path.split(separator: "/") {
      above += "/" + part
      mkdir(above, 0o700)
    }
  }
}
