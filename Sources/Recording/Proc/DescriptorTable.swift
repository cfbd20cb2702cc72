import CPerfEvent
import Glibc
import PerfData

/// What the open descriptors of a process stand for.
package enum DescriptorTable {
  /// One descriptor with what only a look at the file itself tells.
  package struct Resolved: Sendable, Equatable {
    /// The path, or the kernel's name such as `socket:[1234]`, without " (deleted)".
    package var path: String
    /// What sort of file it is.
    package var kind: DescriptorEvent.Kind
    /// Whether the file has no name any more.
    package var isDeleted: Bool
    /// The flags it was opened with.
    package var flags: Int?
    /// How large a regular file is, in bytes.
    package var size: UInt64?

    init(
      path: String, kind: DescriptorEvent.Kind, isDeleted: Bool, flags: Int? = nil,
      size: UInt64? = nil
    ) {
      (self.path, self.kind, self.isDeleted) = (path, kind, isDeleted)
      (self.flags, self.size) = (flags, size)
    }

    /// What a process found itself: the kernel's name of it, and what stat and statfs tell.
    init(
      link: String, hasName: Bool, mode: UInt32, device: UInt64, fileSystem: Int64, size: UInt64
    ) {
      let name = DescriptorTable.stripped(link, links: hasName ? 1 : 0)
      let isRegular = mode & S_IFMT == S_IFREG
      self.init(
        path: name.path,
        kind: isRegular
          ? DescriptorTable.regularKind(fileSystem)
          : DescriptorTable.kind(mode, dev_t(device), name: name.path),
        isDeleted: name.isDeleted, size: isRegular ? size : nil)
    }
  }

  /// Resolves one descriptor; nil when it is closed, the process is gone or may not be read.
  ///
  /// - Parameter tid: a thread of the process that lives; its first one may have ended.
  package static func resolve(pid: Int32, fd: Int, through tid: Int32? = nil) -> DescriptorEvent? {
    guard let found = inspect(pid: tid ?? pid, fd: fd) ?? inspect(pid: pid, fd: fd) else {
      return nil
    }
    return DescriptorEvent(
      pid: Int(pid), fd: fd, path: found.path, kind: found.kind, flags: found.flags,
      size: found.size,
      format: PropertyList.format(of: found, at: "/proc/\(pid)/fd/\(fd)"))
  }

  /// Resolves every open descriptor, in ascending order.
  package static func all(pid: Int32) -> [DescriptorEvent] {
    KernelFile.numbers(in: "/proc/\(pid)/fd").compactMap { resolve(pid: pid, fd: Int($0)) }
  }

  /// The directory that a path relative to a descriptor begins at.
  ///
  /// `AT_FDCWD` gives the working directory.
  package static func path(pid: Int32, directory: Int) -> String? {
    let link = directory == Int(AT_FDCWD) ? "cwd" : "fd/\(directory)"
    guard let target = KernelFile.link("/proc/\(pid)/\(link)"), target.hasPrefix("/") else {
      return nil
    }
    return stripped(target, links: linkCount("/proc/\(pid)/\(link)")).path
  }

  /// Resolves one descriptor with all that is known of it.
  package static func inspect(pid: Int32, fd: Int) -> Resolved? {
    let link = "/proc/\(pid)/fd/\(fd)"
    guard let target = KernelFile.link(link) else { return nil }
    var information = stat()
    // This follows the link to the open file itself, deleted or not.
    let known = stat(link, &information) == 0
    let name = stripped(target, links: known ? UInt64(information.st_nlink) : nil)
    let kind =
      known
      ? kind(of: information, at: link, name: name.path) : kind(ofName: name.path)
    return Resolved(
      path: name.path, kind: kind, isDeleted: name.isDeleted, flags: flags(pid: pid, fd: fd),
      size: known ? size(of: information) : nil)
  }

  /// What a path means to a process, or the folder that it was in if it is gone; `lastFolder` is the working directory
  /// of one that is gone itself, where that is known.
  static func inspect(path: String, of pid: Int32, in lastFolder: String? = nil) -> Resolved? {
    let folder = self.path(pid: pid, directory: Int(AT_FDCWD)) ?? lastFolder
    guard let absolute = path.hasPrefix("/") ? path : folder.map({ "\($0)/\(path)" }) else {
      return nil
    }
    if let link = link(from: absolute, of: pid) {
      return inspect(pid: link.pid ?? pid, fd: link.fd)
    }
    let place = place(of: absolute, to: pid)
    var information = stat()
    if stat(place, &information) == 0 {
      return Resolved(
        path: absolute, kind: kind(of: information, at: place, name: absolute), isDeleted: false,
        size: size(of: information))
    }
    guard let slash = place.lastIndex(of: "/") else { return nil }
    return Resolved(
      path: absolute, kind: regularKind(at: String(place[...slash])), isDeleted: true)
  }

  /// The descriptor that a path leads to, as by links of the system's: to whoever follows these they lead to its own.
  private static func link(from path: String, of pid: Int32) -> DescriptorLink? {
    var path = path
    // As many as the kernel follows.
    for _ in 0..<40 {
      if let link = DescriptorLink(path: path) { return link }
      guard let target = KernelFile.link(place(of: path, to: pid)), !target.isEmpty else {
        return nil
      }
      let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
      path = target.hasPrefix("/") ? target : folder + target
    }
    return nil
  }

  /// Where a process's path leads to from here; one that is gone most likely saw the files that we see.
  static func place(of path: String, to pid: Int32) -> String {
    access("/proc/\(pid)/root", F_OK) == 0 ? "/proc/\(pid)/root\(path)" : path
  }

  /// Whether a path means to a process what it means to us; one that is gone most likely saw the files that we see.
  static func seesOurFiles(_ pid: Int32) -> Bool {
    ["root", "ns/mnt"].allSatisfy { name in
      guard let its = KernelFile.link("/proc/\(pid)/\(name)") else { return true }
      return its == KernelFile.link("/proc/self/\(name)")
    }
  }

  /// A file may really be called "x (deleted)", and then it still has a link. So has one that was opened without a name
  /// (O_TMPFILE) and given one since; the kernel goes on to name it by its inode, "#1234 (deleted)".
  static func stripped(_ target: String, links: UInt64?) -> (path: String, isDeleted: Bool) {
    let mark = " (deleted)"
    guard target.hasPrefix("/"), target.hasSuffix(mark) else { return (target, false) }
    let path = target.dropLast(mark.count)
    let name = path[path.lastIndex(of: "/")!...].dropFirst()
    let isNumber = name.first == "#" && name.count > 1 && name.dropFirst().allSatisfy(\.isNumber)
    guard links ?? 0 == 0 || isNumber else { return (target, false) }
    return (String(path), links ?? 0 == 0)
  }

  private static func linkCount(_ path: String) -> UInt64? {
    var information = stat()
    return stat(path, &information) == 0 ? UInt64(information.st_nlink) : nil
  }

  private static func size(of information: stat) -> UInt64? {
    information.st_mode & S_IFMT == S_IFREG ? UInt64(clamping: information.st_size) : nil
  }

  private static func kind(of information: stat, at link: String, name: String)
    -> DescriptorEvent.Kind
  {
    information.st_mode & S_IFMT == S_IFREG
      ? regularKind(at: link) : kind(information.st_mode, information.st_rdev, name: name)
  }

  private static func kind(_ mode: UInt32, _ device: dev_t, name: String) -> DescriptorEvent.Kind {
    switch mode & S_IFMT {
    case S_IFIFO: .pipe
    case S_IFSOCK: .socket
    case S_IFCHR: isTerminal(device, name: name) ? .terminal : .device
    case S_IFBLK: .device
    default: .other
    }
  }

  /// Whether what is written to a path goes to memory alone.
  package static func isInMemory(_ path: String) -> Bool { regularKind(at: path) == .tmpfs }

  private static func regularKind(at link: String) -> DescriptorEvent.Kind {
    regularKind(lull_filesystem_type(link))
  }

  private static func regularKind(_ fileSystem: Int64) -> DescriptorEvent.Kind {
    switch fileSystem {
    // tmpfs and ramfs (memfd is the first), hugetlbfs.
    case 0x0102_1994, 0x8584_58f6, 0x9584_58f6: return .tmpfs
    // proc, sysfs, cgroup, cgroup2, debugfs, tracefs, securityfs, bpf.
    case 0x9fa0, 0x6265_6572, 0x27_e0eb, 0x6367_7270, 0x6462_6720, 0x7472_6163, 0x7363_6673,
      0xcafe_4a11:
      return .proc
    default: return .regular
    }
  }

  /// Terminals by their device numbers: a descriptor of another process has no `isatty`.
  private static func isTerminal(_ device: dev_t, name: String) -> Bool {
    let major = UInt64(device) >> 8 & 0xfff
    // 4: consoles and serial ports, 5: /dev/tty and /dev/console, 136–143: pseudo-terminals.
    if major == 4 || (136...143).contains(major) { return true }
    return major == 5 && UInt64(device) & 0xff != 2 || name.hasPrefix("/dev/pts/")
  }

  private static func kind(ofName name: String) -> DescriptorEvent.Kind {
    if name.hasPrefix("pipe:") { return .pipe }
    if name.hasPrefix("socket:") { return .socket }
    if name.hasPrefix("/dev/pts/") || name == "/dev/tty" { return .terminal }
    if name.hasPrefix("/dev/shm/") || name.hasPrefix("/memfd:") { return .tmpfs }
    if name.hasPrefix("/dev/") { return .device }
    if name.hasPrefix("/proc/") || name.hasPrefix("/sys/") { return .proc }
    return name.hasPrefix("/") ? .regular : .other
  }

  private static func flags(pid: Int32, fd: Int) -> Int? {
    guard let text = KernelFile.text("/proc/\(pid)/fdinfo/\(fd)") else { return nil }
    for line in text.split(separator: "\n") where line.hasPrefix("flags:") {
      return Int(line.dropFirst(6).drop { $0 == "\t" || $0 == " " }, radix: 8)
    }
    return nil
  }
}
