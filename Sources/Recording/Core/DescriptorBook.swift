import Glibc
import PerfData

/// Finds out what descriptors stand for when they are first written to.
final class DescriptorBook {
  private struct Key: Hashable {
    var pid: Int32
    var fd: Int32
  }

  /// A descriptor to look at, with the path by which it was opened where that is known.
  private struct Wish {
    var time: UInt64
    var path: String?
    /// A thread that used it: its process's first one may have ended.
    var tid: Int32
    /// Only what is written to or read need be known of a descriptor that is closed again.
    var isUsed = false
    /// Whether it stood for something else, or for nothing, as it was first looked at: what became of it was done since
    /// its calls were read, and they tell it in the next round.
    var isKept = false
  }

  private var known: Set<Key> = []
  /// To be resolved when the round ends: by then a later open or close has been seen.
  private var wanted: [Key: Wish] = [:]
  /// Descriptors that were closed before they could be looked at; their paths may still be there.
  private var missed: [(key: Key, wish: Wish)] = []
  /// What threads are about to open.
  private var opening: [Int32: String] = [:]
  /// The working directories of processes that may be gone when a path of theirs is looked at.
  private var folders: [Int32: String] = [:]
  /// When they last went to another: what was opened before by a path from there on is not in the present one.
  private var moves: [Int32: UInt64] = [:]
  /// Where processes were found to work, and when they were looked at: not written yet.
  private var found: [(pid: Int32, folder: String, time: UInt64)] = []
  /// What was told in this round.
  private var observed: [Observation] = []
  /// Processes that ended in this round.
  private var ended: [Int32] = []

  /// Begins with the process that is recorded.
  init(pid: Int32) { findFolder(of: pid) }

  /// Takes in a system call's end.
  private func note(_ call: SystemCallResult, pid: Int32, tid: Int32, time: UInt64) {
    if call.number == SystemCallFilter.close {
      forget(pid, call.first)
    } else if SystemCallFilter.directoryChanges.contains(call.number) {
      let path = opening.removeValue(forKey: tid)
      if call.result == 0, call.number == SystemCallFilter.directoryChange, let path {
        isMoving(pid, to: path, at: time &+ 1)
      } else {
        folders[pid] = nil
        moves[pid] = time
        findFolder(of: pid)
      }
    } else if SystemCallFilter.opens.contains(call.number) {
      let path = opening.removeValue(forKey: tid)
      guard call.result >= 0 else { return }
      if let link = path.flatMap({ DescriptorLink(path: $0) }) {
        noteLink(link, as: UInt64(call.result), pid: pid, tid: tid, time: time)
        return
      }
      want(pid, UInt64(call.result), Wish(time: time &+ 1, path: path, tid: tid), replacing: true)
    } else if SystemCallFilter.isDuplicate(call) {
      guard call.result >= 0 else { return }
      noteDuplicate(of: call.first, as: UInt64(call.result), pid: pid, tid: tid, time: time)
    } else if call.number == SystemCallFilter.closeRange {
      forgetAll(of: pid)
    } else if SystemCallFilter.isRead(call.number), call.result < SystemCallFilter.largeRead {
      // The C library opens small files by itself and closes them at once: by the time that one of which no opening was
      // told is looked at, its number stands for another.
      if let fd = Int32(exactly: call.first) { wanted[Key(pid: pid, fd: fd)]?.isUsed = true }
    } else if call.number != SystemCallFilter.control {
      // Just before the call that named it, so that it holds for that call.
      want(
        pid, SystemCallFilter.writtenDescriptor(call), Wish(time: time &- 1, tid: tid),
        replacing: false)
    }
  }

  private func want(_ pid: Int32, _ fd: UInt64, _ wish: Wish, replacing: Bool) {
    guard fd < UInt64(Int32.max) else { return }
    let key = Key(pid: pid, fd: Int32(fd))
    if replacing {
      known.insert(key)
      wanted[key] = wish
    } else if known.insert(key).inserted {
      wanted[key] = wish
    } else {
      wanted[key]?.isUsed = true
    }
  }

  /// A further number for an open file, as a shell makes to redirect an output.
  private func noteDuplicate(
    of first: UInt64, as second: UInt64, pid: Int32, tid: Int32, time: UInt64
  ) {
    guard first != second else { return }
    forget(pid, second)
    guard let source = Int32(exactly: first).map({ Key(pid: pid, fd: $0) }),
      let copy = Int32(exactly: second).map({ Key(pid: pid, fd: $0) })
    else { return }
    if let wish = wanted[source] {
      // The first number may be closed before it is looked at.
      want(pid, second, Wish(time: time &+ 1, path: wish.path, tid: tid), replacing: true)
    } else if known.contains(source) {
      // The trace tells of the first. A look would be later than the end of the second, which a shell soon puts back.
      known.insert(copy)
    }
  }

  /// An open of what another number stands for (`/dev/fd/5`), which the trace tells of that one.
  private func noteLink(
    _ link: DescriptorLink, as descriptor: UInt64, pid: Int32, tid: Int32, time: UInt64
  ) {
    guard link.pid ?? pid == pid, let fd = Int32(exactly: link.fd) else {
      return want(pid, descriptor, Wish(time: time &+ 1, tid: tid), replacing: true)
    }
    let source = Key(pid: pid, fd: fd)
    if known.contains(source), wanted[source] == nil {
      // What the number is by now may be another.
      forget(pid, descriptor)
      if let copy = Int32(exactly: descriptor) { known.insert(Key(pid: pid, fd: copy)) }
      return
    }
    let path = wanted[source]?.path
    if wanted[source] == nil {
      want(pid, UInt64(link.fd), Wish(time: time &- 1, tid: tid), replacing: false)
    }
    wanted[source]?.isUsed = true
    want(pid, descriptor, Wish(time: time &+ 1, path: path, tid: tid), replacing: true)
  }

  private func forget(_ pid: Int32, _ fd: UInt64) {
    guard fd < UInt64(Int32.max) else { return }
    let key = Key(pid: pid, fd: Int32(fd))
    known.remove(key)
    guard let wish = wanted.removeValue(forKey: key) else { return }
    if wish.isUsed || wish.path != nil { missed.append((key, wish)) }
  }

  /// Looks where a process works. A change in the midst of that is told by its call, which is later.
  private func findFolder(of pid: Int32) {
    let time = SystemInfo.monotonicNanoseconds()
    guard let folder = DescriptorTable.path(pid: pid, directory: Int(AT_FDCWD)) else { return }
    isWorking(pid, in: folder, since: time)
  }

  /// A process goes to a folder by its path.
  private func isMoving(_ pid: Int32, to path: String, at time: UInt64) {
    moves[pid] = time
    let folder = whole(path, of: pid)
    folders[pid] = nil
    // Where the process is, it may have gone on by now.
    if let folder { isWorking(pid, in: folder, since: time) } else { findFolder(of: pid) }
  }

  /// A folder's path without links; nil where it is not the one that we see by that path.
  private func whole(_ path: String, of pid: Int32) -> String? {
    guard let named = path.hasPrefix("/") ? path : folders[pid].map({ "\($0)/\(path)" }),
      DescriptorTable.seesOurFiles(pid), let resolved = realpath(named, nil)
    else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private func isWorking(_ pid: Int32, in folder: String, since time: UInt64) {
    folders[pid] = folder
    found.append((pid, folder, time))
  }

  /// A process has ended: what it opened can be looked at by its path.
  private func end(_ pid: Int32) {
    missed += wanted.filter { $0.key.pid == pid }.map { ($0.key, $0.value) }
    forgetAll(of: pid)
    ended.append(pid)
  }

  /// Forgets a process that ended or runs another program.
  private func forgetAll(of pid: Int32) {
    known = known.filter { $0.pid != pid }
    wanted = wanted.filter { $0.key.pid != pid }
  }

  /// Remembers what is written to the trace anyway.
  func setKnown(_ event: DescriptorEvent) {
    known.insert(Key(pid: Int32(clamping: event.pid), fd: Int32(clamping: event.fd)))
  }

  /// Resolves what the round asked for; each with the time from which it holds.
  private func resolve(isLast: Bool) -> [(event: DescriptorEvent, time: UInt64)] {
    guard !wanted.isEmpty || !missed.isEmpty || !ended.isEmpty else { return [] }
    var kept: [Key: Wish] = [:]
    defer {
      wanted = kept
      missed.removeAll(keepingCapacity: true)
      for pid in ended {
        folders[pid] = nil
        moves[pid] = nil
      }
      ended.removeAll(keepingCapacity: true)
    }
    let seen = wanted.compactMap { key, wish -> (event: DescriptorEvent, time: UInt64)? in
      let event = DescriptorTable.resolve(pid: key.pid, fd: Int(key.fd), through: wish.tid)
      if let event, Self.isSame(event, as: wish.path) { return (event, wish.time) }
      if wish.path != nil, !wish.isKept, !isLast {
        kept[key] = wish
        kept[key]?.isKept = true
        return nil
      }
      // It was renamed.
      if let event, Self.hasPath(event) { return (event, wish.time) }
      known.remove(key)
      return guess(key, wish)
    }
    return (seen + missed.compactMap { guess($0.key, $0.wish) }).sorted { $0.time < $1.time }
  }

  private static func hasPath(_ event: DescriptorEvent) -> Bool { event.path.hasPrefix("/") }

  /// Whether a descriptor stands for what was opened by a path, as far as its name tells; nil is any.
  private static func isSame(_ event: DescriptorEvent, as path: String?) -> Bool {
    guard let name = path?.split(separator: "/").last else { return true }
    return hasPath(event) && event.path.hasSuffix("/" + name)
  }

  /// A file of less is not worth telling of where all that is to be told is its size.
  private static let largeFile: UInt64 = 4 << 20

  /// What is by now at the path by which a descriptor was opened; a regular file at a whole path needs no telling, but
  /// for the size of a large one and for property lists.
  private func guess(_ key: Key, _ wish: Wish) -> (event: DescriptorEvent, time: UInt64)? {
    guard let path = wish.path,
      path.hasPrefix("/") || moves[key.pid].map({ $0 < wish.time }) ?? true,
      let found = DescriptorTable.inspect(path: path, of: wish.tid, in: folders[key.pid]),
      wish.isUsed && (found.kind != .regular || !path.hasPrefix("/"))
        || found.kind == .regular
          && (found.size ?? 0 >= Self.largeFile || found.path.hasSuffix(".plist"))
    else { return nil }
    return (
      DescriptorEvent(
        pid: Int(key.pid), fd: Int(key.fd), path: found.path, kind: found.kind, size: found.size,
        format: PropertyList.format(
          of: found, at: DescriptorTable.place(of: found.path, to: key.pid))),
      wish.time
    )
  }
}

extension DescriptorBook: RecordingSource {
  func observe(_ observation: Observation, _ round: Round) throws(PerfDataError) {
    switch observation {
    case .gap:
      takeObserved()
      known = []
      wanted = [:]
      opening = [:]
    // Soon it may be gone.
    case .processExecuted(let pid, _, _):
      findFolder(of: pid)
      observed.append(observation)
    case .processEnded, .processBegan, .systemCall, .moved, .moving, .pathOpening:
      observed.append(observation)
    case .fileMapped, .memoryRead: break
    }
  }

  /// Takes in what was told, in the order in which it happened: one source tells of it after another.
  private func takeObserved() {
    for observation in observed.sorted(by: { $0.time < $1.time }) { take(observation) }
    observed.removeAll(keepingCapacity: true)
  }

  private func take(_ observation: Observation) {
    switch observation {
    case .processExecuted(let pid, _, _): forgetAll(of: pid)
    case .processEnded(let pid, _): end(pid)
    case .processBegan(let pid, let parent, _):
      // Its program may have begun by now, and was looked at then.
      if !found.contains(where: { $0.pid == pid }) { folders[pid] = folders[parent] }
    case .systemCall(let pid, let tid, let time, let call):
      note(call, pid: pid, tid: tid, time: time)
    case .moved(let pid, let folder, let time):
      moves[pid] = time
      isWorking(pid, in: folder, since: time)
    case .moving(let pid, let path, let time): isMoving(pid, to: path, at: time)
    case .pathOpening(let tid, _, let path): opening[tid] = path
    case .gap, .fileMapped, .memoryRead: break
    }
  }

  func collect(_ round: Round) throws(PerfDataError) {
    takeObserved()
    for (pid, folder, time) in found {
      try round.sink.append(
        ProcessEvent(pid: Int(pid), kind: .moved, workingFolder: folder), pid: pid, time: time)
    }
    found.removeAll(keepingCapacity: true)
    for (event, time) in resolve(isLast: round.isLast) {
      try round.sink.append(event, pid: Int32(clamping: event.pid), time: time)
    }
  }

  func beginPart(_ round: Round) throws(PerfDataError) {
    for pid in folders.keys.sorted() { findFolder(of: pid) }
  }
}
