#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Why an output file was not written.
package struct OutputFileError: Error, CustomStringConvertible, Sendable {
  /// The errno.
  package var code: Int32
  /// One line: what happened to which file, and what to do.
  package var description: String
}

/// Writes whole files: beside their final place, then renamed, so that nobody sees half of one.
package enum OutputFile {
  /// Writes the bytes to the path; an existing file is refused unless `overwrite` is set.
  package static func write(
    _ bytes: [UInt8], to path: String, overwrite: Bool
  ) throws {
    if let stream = stream(path) { return try write(bytes, into: stream, at: path) }
    try produce(path, overwrite: overwrite) { beside throws(OutputFileError) in
      let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
      let descriptor = open(beside, flags, 0o644)
      guard descriptor >= 0 else { throw failure("cannot create \(path)", errno) }
      let written = writeAll(bytes, to: descriptor)
      let closed = close(descriptor) == 0 ? 0 : errno
      let code = written != 0 ? written : closed
      guard code == 0 else { throw failure("cannot write \(path)", code) }
    }
  }

  /// Has a file written beside its final place and moves it there once it is whole.
  ///
  /// An existing file is refused unless `overwrite` is set; what the work left is removed when
  /// it fails.
  package static func produce(
    _ path: String, overwrite: Bool, _ work: (_ beside: String) throws -> Void
  ) throws {
    try check(path, overwrite: overwrite)
    let beside = path + ".\(getpid()).part"
    do {
      try work(beside)
      InvokingUser.own(beside)
      try place(beside, at: path, overwrite: overwrite)
    } catch {
      unlink(beside)
      throw error
    }
  }

  /// Refuses a path that is a directory, a device, or taken.
  ///
  /// What is made beside its place and moved there would replace `/dev/null` where root does it. `takesStreams` is for
  /// what `write` writes, which goes into a device or a pipe as it is.
  package static func check(
    _ path: String, overwrite: Bool, takesStreams: Bool = false
  ) throws(OutputFileError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    if takesStreams, stream(path) != nil { return }
    if status.st_mode & S_IFMT == S_IFDIR {
      throw OutputFileError(
        code: EISDIR, description: "\(path) is a directory; give -o the name of a file")
    }
    var target = stat()
    let kind = (stat(path, &target) == 0 ? target : status).st_mode & S_IFMT
    guard kind != S_IFCHR, kind != S_IFBLK else {
      throw OutputFileError(
        code: EINVAL,
        description:
          "\(path) is a device, and a file is to be made; give -o the name of one")
    }
    if !overwrite {
      throw OutputFileError(
        code: EEXIST,
        description: "\(path) already exists; choose another name, or overwrite it with --force")
    }
  }

  /// A pipe or a device that the caller means by the path: one of the system's own (`/dev/stdout`), or a pipe that is
  /// his. What somebody else put there is a file that is in the way.
  private static func stream(_ path: String) -> stat? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    let kind = status.st_mode & S_IFMT
    guard kind == S_IFCHR || kind == S_IFIFO else { return nil }
    let isSystems = ["/dev/", "/proc/"].contains {
      path.hasPrefix($0) && !path.hasPrefix("/dev/shm/")
    }
    return isSystems || kind == S_IFIFO && status.st_uid == geteuid() ? status : nil
  }

  /// Writes all bytes to a descriptor; gives 0 or the errno that stopped it.
  package static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    bytes.withUnsafeBytes { buffer in
      var offset = 0
      while offset < buffer.count {
        let count = systemWrite(
          descriptor, buffer.baseAddress?.advanced(by: offset), buffer.count - offset)
        if count >= 0 {
          offset += count
        } else if errno == EAGAIN {
          var poller = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          _ = poll(&poller, 1, -1)
        } else if errno != EINTR {
          return errno
        }
      }
      return 0
    }
  }

  /// A device or a pipe is written as it is; a pipe that nobody reads is an error, not a wait without end.
  private static func write(
    _ bytes: [UInt8], into stream: stat, at path: String
  ) throws(OutputFileError) {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else { throw failure("cannot open \(path)", errno) }
    defer { close(descriptor) }
    var opened = stat()
    guard fstat(descriptor, &opened) == 0, opened.st_dev == stream.st_dev,
      opened.st_ino == stream.st_ino
    else { throw failure("cannot open \(path)", ESTALE) }
    let code = writeAll(bytes, to: descriptor)
    guard code == 0 else { throw failure("cannot write \(path)", code) }
  }

  private static func place(
    _ temporary: String, at path: String, overwrite: Bool
  ) throws(OutputFileError) {
    if overwrite {
      guard rename(temporary, path) == 0 else {
        let code = errno
        throw failure("cannot replace \(path)", code)
      }
      return
    }
    // A link fails where the name was taken meanwhile, which a rename would not.
    let linked = link(temporary, path) == 0
    let code = errno
    if !linked && code != EEXIST && rename(temporary, path) == 0 { return }
    guard linked else { throw failure("cannot create \(path)", code) }
    unlink(temporary)
  }

  private static func failure(_ what: String, _ code: Int32) -> OutputFileError {
    let advice =
      switch code {
      case EACCES, EPERM, EROFS: "; choose a folder that you may write to"
      case ENOENT: "; create its folder first"
      case ENOSPC, EDQUOT: "; make room, or write to another disk"
      case EFBIG: "; raise `ulimit -f`"
      case EEXIST: "; choose another name, or overwrite it with --force"
      case ENXIO: "; start what reads the pipe first"
      default: ""
      }
    return OutputFileError(
      code: code, description: "\(what): \(String(cString: strerror(code)))\(advice)")
  }
}
