import Glibc
import PerfData
import Synchronization

/// Programs and libraries that processes have mapped, kept open: by its path a file may not be found again once the
/// process has ended, if it is of another mount namespace (every container), or was deleted or replaced.
package final class HeldFiles: Sendable {
  private struct State {
    var seen: Set<String> = []
    var files: [String: [OwnedDescriptor]] = [:]
  }

  private let state = Mutex(State())
  /// More are not kept: each takes a descriptor.
  private static let most = 512
  /// More are not looked at.
  private static let mostSeen = 8 * most

  /// The paths by which those files can be read as long as this lives that are not at their paths, by the paths that
  /// processes know them by.
  package var paths: [String: [String]] {
    state.withLock { state in
      var paths: [String: [String]] = [:]
      for (path, files) in state.files {
        for file in files {
          let place = "/proc/\(getpid())/fd/\(file.number)"
          if !isSame(path, place) { paths[path, default: []].append(place) }
        }
      }
      return paths
    }
  }

  /// Looks at a file that a process has mapped, as its maps tell.
  func consider(_ file: MmapRecord) {
    consider(
      file.path, of: file.pid, mapping: file.range, inode: file.buildID == nil ? file.inode : nil)
  }

  /// Looks at a file that a process has mapped for execution; `mapping` is its name in `/proc/PID/map_files`, and
  /// `inode` its number, where nothing else tells it from one that takes its place.
  func consider(_ path: String, of pid: Int32, mapping: String? = nil, inode: UInt64? = nil) {
    let isNew = state.withLock { state in
      state.files.values.reduce(0) { $0 + $1.count } < Self.most
        && state.seen.count < Self.mostSeen
        && state.seen.insert("\(namespace(of: pid)) \(inode ?? 0) \(path)").inserted
    }
    guard isNew, path.hasPrefix("/") else { return }
    let link = DescriptorTable.stripped(path, links: nil)
    let places =
      ["/proc/\(pid)/root\(path)"] + (mapping.map { ["/proc/\(pid)/map_files/\($0)"] } ?? [])
    let program = ProcessProbe.executable(pid: pid) == link.path ? ["/proc/\(pid)/exe"] : []
    for place in link.isDeleted ? Array(places.dropFirst()) + program : places {
      guard let file = OwnedDescriptor(opening: place, flags: O_RDONLY | O_NONBLOCK) else {
        continue
      }
      return state.withLock { $0.files[path, default: []].append(file) }
    }
  }

  /// Mount namespaces have paths of their own, and so has what lies behind chroot.
  private func namespace(of pid: Int32) -> String {
    ["ns/mnt", "root"].map { KernelFile.link("/proc/\(pid)/\($0)") ?? "" }.joined(separator: " ")
  }

  private func isSame(_ one: String, _ other: String) -> Bool {
    var (first, second) = (stat(), stat())
    return stat(one, &first) == 0 && stat(other, &second) == 0
      && first.st_dev == second.st_dev && first.st_ino == second.st_ino
  }
}

/// Keeps the files that are mapped while recording.
final class HeldFilesSource: RecordingSource {
  private let files: HeldFiles

  init(_ files: HeldFiles) { self.files = files }

  func observe(_ observation: Observation, _ round: Round) throws(PerfDataError) {
    if case .fileMapped(let pid, let path, let inode, _) = observation {
      files.consider(path, of: pid, inode: inode)
    }
  }

  func collect(_ round: Round) throws(PerfDataError) {}
}
