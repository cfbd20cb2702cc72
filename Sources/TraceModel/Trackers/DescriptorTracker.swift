import PerfData
import Quantities

/// Knows which file a descriptor meant at any moment.
///
/// A descriptor's path is told by the recorder (which looks it up in /proc a moment after its first use), by the open
/// probe's argument, or not at all. Each open and close starts another life of the number.
struct DescriptorTracker {
  struct Target: Sendable {
    var path: String?
    var kind: DescriptorEvent.Kind?
  }

  private struct Life {
    var start: Timestamp
    var end: Timestamp?
    /// It began with an open, so that it is no socket and no pipe.
    var isFile = false
    /// What it is of, in `files`: duplicates are of the same.
    var file: Int
    var size: UInt64?
    var flags: Int?
    var format: String?
  }

  /// What an open made, whatever numbers stand for it.
  private struct File {
    /// Told by the argument of open: known even when the file was gone a moment later.
    var opened: String?
    /// Told by /proc.
    var seen: Target?
    /// It was opened without a name in a folder, which is what `opened` tells (O_TMPFILE).
    var isNameless = false
    /// Each write to it waits until it is on storage (O_DSYNC, which O_SYNC is with more).
    var isSynchronous = false

    var isKnown: Bool { opened != nil || seen != nil }
  }

  private struct Key: Hashable {
    var pid: Int32
    var fd: Int
  }

  private var lives: [Key: [Life]] = [:]
  private var files: [File] = []
  private var parents: [Int32: Int32] = [:]
  private var execs: [Int32: Timestamp] = [:]

  mutating func forked(_ child: Int32, from parent: Int32) {
    if child != parent { parents[child] = parent }
  }

  /// A new program keeps its input and outputs; of other numbers, which are mostly closed by it, only /proc tells.
  mutating func exec(_ pid: Int32, at time: Timestamp) { execs[pid] = time }

  /// What O_TMPFILE has besides O_DIRECTORY.
  private static let namelessFlag: UInt64 = 0o20_000_000
  /// O_DSYNC, by all of Linux's architectures that Lull knows.
  private static let synchronousFlag: UInt64 = 0o10_000

  /// A successful open, told by the system call's end; `flags` are those of open, where they are known.
  mutating func open(
    pid: Int32, fd: Int, isFile: Bool = false, flags: UInt64? = nil, at time: Timestamp
  ) {
    let flags = flags ?? 0
    let file = File(
      isNameless: flags & Self.namelessFlag != 0,
      isSynchronous: flags & Self.synchronousFlag != 0)
    begin(pid: pid, fd: fd, add(file), isFile: isFile, at: time)
  }

  /// Whether a write to the descriptor, at a moment, was one that waits for storage.
  func isSynchronous(pid: Int32, fd: Int, at time: Timestamp) -> Bool {
    life(pid: pid, fd: fd, at: time).life.map { files[$0.file].isSynchronous } ?? false
  }

  /// A successful open of a path, told as the C library's function returns that was called at `since`.
  ///
  /// The system call in it told of it before, however long the thread had to wait for a CPU since then.
  mutating func opened(
    pid: Int32, fd: Int, path: String, since: Timestamp, at time: Timestamp
  ) {
    let key = Key(pid: pid, fd: fd)
    if let link = DescriptorLink(path: path) {
      return opened(link, pid: pid, fd: fd, since: since, at: time)
    }
    if let last = lives[key]?.last,
      last.end == nil, files[last.file].opened == nil, last.start >= since
    {
      files[last.file].opened = path
    } else {
      begin(pid: pid, fd: fd, add(File(opened: path)), at: time)
    }
  }

  /// An open of what another descriptor stood for by then, as far as that is known.
  private mutating func opened(
    _ link: DescriptorLink, pid: Int32, fd: Int, since: Timestamp, at time: Timestamp
  ) {
    // What can be opened so was open: if no call of the program told of it, it is from before.
    let source = life(pid: link.pid ?? pid, fd: link.fd, at: since, isOpen: true).life
    let key = Key(pid: pid, fd: fd)
    if let position = lives[key]?.indices.last, let last = lives[key]?[position],
      last.end == nil, files[last.file].opened == nil, last.start >= since
    {
      guard let source else { return }
      // What was seen of it is seen of the other as well.
      if files[source.file].seen == nil { files[source.file].seen = files[last.file].seen }
      lives[key]?[position].file = source.file
    } else {
      begin(pid: pid, fd: fd, source?.file ?? add(File()), isFile: true, at: time)
    }
  }

  private mutating func begin(
    pid: Int32, fd: Int, _ file: Int, isFile: Bool = false, at time: Timestamp
  ) {
    close(pid: pid, fd: fd, at: time)
    lives[Key(pid: pid, fd: fd), default: []].append(
      Life(start: time, isFile: isFile, file: file))
  }

  private mutating func add(_ file: File) -> Int {
    files.append(file)
    return files.count - 1
  }

  /// Whether the descriptor was of something with a path that nothing told: it was closed before it could be looked at.
  func isUntold(pid: Int32, fd: Int, at time: Timestamp) -> Bool {
    guard let own = lives[Key(pid: pid, fd: fd)] else { return false }
    let next = Self.firstLater(own, than: time)
    guard next > 0 else { return false }
    let life = own[next - 1]
    return life.isFile && !files[life.file].isKnown
      && life.end.map { $0 >= time } ?? true
  }

  /// Whether what a number stood for around a moment, as far as that is known, were files with paths.
  ///
  /// Where calls are sampled, most of those that opened and closed them are not among them.
  func isOfFiles(pid: Int32, fd: Int, around time: Timestamp) -> Bool {
    guard let own = lives[Key(pid: pid, fd: fd)] else { return false }
    let next = Self.firstLater(own, than: time)
    return own[max(0, next - 1)..<min(own.count, next + 1)].allSatisfy { life in
      switch target(of: life).kind {
      case .regular: true
      case nil: life.isFile
      default: false
      }
    }
  }

  mutating func close(pid: Int32, fd: Int, at time: Timestamp) {
    let key = Key(pid: pid, fd: fd)
    guard let last = lives[key]?.indices.last, lives[key]?[last].end == nil else { return }
    lives[key]?[last].end = time
  }

  /// Another number for what a descriptor stands for, as a shell makes to redirect an output.
  mutating func duplicate(pid: Int32, from: Int, to: Int, at time: Timestamp) {
    guard from != to else { return }
    let source = life(pid: pid, fd: from, at: time).life
    begin(pid: pid, fd: to, source?.file ?? add(File()), at: time)
  }

  /// What the recorder read in /proc.
  mutating func seen(
    pid: Int32, fd: Int, path: String, kind: DescriptorEvent.Kind, size: UInt64? = nil,
    flags: Int? = nil, format: String? = nil, at time: Timestamp
  ) {
    let key = Key(pid: pid, fd: fd)
    tell(key, Target(path: path, kind: kind), at: time)
    guard let last = lives[key]?.indices.last else { return }
    lives[key]?[last].size = size
    lives[key]?[last].flags = flags
    if let flags, let file = lives[key]?[last].file,
      UInt64(bitPattern: Int64(flags)) & Self.synchronousFlag != 0
    {
      files[file].isSynchronous = true
    }
    lives[key]?[last].format = format
  }

  private mutating func tell(_ key: Key, _ target: Target, at time: Timestamp) {
    if let last = lives[key]?.indices.last, let life = lives[key]?[last], life.end == nil {
      let known = files[life.file].seen
      if known == nil || (known?.path == target.path && known?.kind == target.kind) {
        files[life.file].seen = target
        return
      }
      // Duplicated or replaced by a call that is not recorded.
      lives[key]?[last].end = time
      lives[key, default: []].append(Life(start: time, file: add(File(seen: target))))
      return
    }
    // Seen without an open: it was open before, back to the end of its last life.
    let start = lives[key]?.last?.end ?? Timestamp(nanoseconds: 0)
    lives[key, default: []].append(Life(start: start, file: add(File(seen: target))))
  }

  /// What was open, and when.
  func openFiles() -> [OpenFile] {
    lives.flatMap { key, lives in
      lives.compactMap { life -> OpenFile? in
        guard files[life.file].isKnown else { return nil }
        let target = target(of: life)
        return OpenFile(
          pid: key.pid, descriptor: key.fd, path: target.path, kind: target.kind,
          start: life.start, end: life.end, size: life.size, flags: life.flags,
          format: life.format)
      }
    }.sorted { ($0.start, $0.pid, $0.descriptor) < ($1.start, $1.pid, $1.descriptor) }
  }

  /// What the descriptor meant at a moment.
  func target(pid: Int32, fd: Int, at time: Timestamp) -> Target {
    target(pid: pid, fd: fd, from: time).target
  }

  /// What the descriptor meant at a moment, and before when it surely went on to mean that.
  func target(pid: Int32, fd: Int, from time: Timestamp) -> (target: Target, until: Timestamp) {
    let (life, until) = life(pid: pid, fd: fd, at: time)
    return (life.map { target(of: $0) } ?? Target(), until)
  }

  private func target(of life: Life) -> Target {
    let file = files[life.file]
    if file.isNameless, let folder = file.opened {
      // As the kernel names it, by the number of its inode, whatever name it was given later.
      if let seen = file.seen, seen.path?.hasPrefix("/") == true, seen.kind != .other {
        return seen
      }
      return Target(path: folder + "/#", kind: Self.kind(of: folder))
    }
    // A file may have been renamed before /proc was looked at, so its own path comes first.
    if let path = file.opened, path.hasPrefix("/") || file.seen == nil {
      // What has no path by the time it is looked at is another, to which the number was given meanwhile. Of what has
      // one, other than all else are folders, which are synced like files.
      let seen = file.seen.flatMap {
        $0.kind == .other || $0.path?.hasPrefix("/") == false ? nil : $0.kind
      }
      return Target(path: path, kind: seen ?? Self.kind(of: path))
    }
    return file.seen ?? Target()
  }

  /// The life that tells of a descriptor, and before when no other does; a child's inherited ones are its parent's.
  ///
  /// - Parameter isOpen: whether it is known to stand for something then.
  private func life(
    pid: Int32, fd: Int, at time: Timestamp, isOpen: Bool = false
  ) -> (life: Life?, until: Timestamp) {
    var pid = pid
    var until = Timestamp(nanoseconds: .max)
    for _ in 0..<64 {
      if let own = lives[Key(pid: pid, fd: fd)] {
        let next = Self.firstLater(own, than: time)
        if next < own.count { until = min(until, own[next].start) }
        if next > 0 {
          let life = own[next - 1]
          let isOver = life.end.map { $0 < time } ?? false
          if !isOver, let end = life.end {
            until = min(until, end + TimeSpan(nanoseconds: 1))
          }
          // One of which nothing is known is not the parent's either, which has the number for something else.
          if !isOver { return (life, until) }
        }
      }
      if fd > 2, !isOpen, let exec = execs[pid] {
        if exec <= time { break }
        until = min(until, exec)
      }
      guard let parent = parents[pid] else { break }
      pid = parent
    }
    return (nil, until)
  }

  /// Whether a number that one event used stood for the same around it, as of one that stands for many events it has
  /// to: what they used is else not known.
  ///
  /// Of a program that opens thousands of files most have the same number, and of those the event knows but its own.
  /// What a number stood for while nothing was recorded is known of what goes on to the next moment that was.
  func isSteady(
    pid: Int32, fd: Int, at time: Timestamp, in stretch: SampleWeights.Stretch
  ) -> Bool {
    let before = min(Self.neighbourhood, time.nanoseconds)
    let from = max(stretch.start, Timestamp(nanoseconds: time.nanoseconds - before))
    let to = min(stretch.end, Timestamp(nanoseconds: time.nanoseconds &+ Self.neighbourhood))
    var pid = pid
    for _ in 0..<64 {
      if let own = lives[Key(pid: pid, fd: fd)] {
        let next = Self.firstLater(own, than: time)
        if next < own.count, own[next].start <= to { return false }
        if next > 0 {
          let life = own[next - 1]
          let end = life.end ?? Timestamp(nanoseconds: .max)
          if end >= time {
            if end < to, stretch.hasGaps { return false }
            guard life.start > from else { return true }
            return next == 1 || own[next - 2].end.map { $0 < from } == true
          }
          if end >= from { return false }
        }
      }
      if fd > 2, let exec = execs[pid], exec <= time { return true }
      guard let parent = parents[pid] else { return true }
      pid = parent
    }
    return true
  }

  /// More than lies between two slices, of what is recorded in these.
  private static let neighbourhood: UInt64 = 500_000_000

  /// The first life that begins after a moment; each begins when the one before is over.
  private static func firstLater(_ lives: [Life], than time: Timestamp) -> Int {
    lives.partitioningIndex { $0.start > time }
  }

  /// A guess by the path alone, for a file that was gone before it could be looked at.
  static func kind(of path: String) -> DescriptorEvent.Kind {
    if path.hasPrefix("/proc/") || path.hasPrefix("/sys/") { return .proc }
    if path.hasPrefix("/dev/shm/") || path.hasPrefix("/run/") { return .tmpfs }
    if path.hasPrefix("/dev/") { return .device }
    return .regular
  }
}
