import Files
import Glibc
import PerfData

/// The build ids of files that programs map while they are recorded, read from the files.
///
/// The kernel would put them into its records (`build_id` of perf_event_attr, Linux 5.12). But it leaves the mark of
/// that in what it tells the events of others of the same mapping: a device and inode are then taken for a build id,
/// and `perf record` aborts beside such a recorder (Linux 6.18, perf 6.1).
struct MappedBuildIDs {
  private var read = RecentTable<FileIdentity, [UInt8]>(most: BuildIDNote.most)

  /// Of a file that a process has mapped, as its maps tell.
  mutating func of(_ mapping: MmapRecord) -> [UInt8]? {
    of(
      mapping.path, pid: mapping.pid, start: mapping.start, length: mapping.length,
      inode: mapping.inode ?? 0)
  }

  /// Of what was mapped, or nil where it has none or cannot be read any longer; `inode` is what the kernel told of it.
  mutating func of(_ path: String, pid: Int32, start: UInt64, length: UInt64, inode: UInt64)
    -> [UInt8]?
  {
    for place in places(path, pid, start, length, inode) {
      guard let identity = FileIdentity(place) else { continue }
      if let known = read[identity] { return known.isEmpty ? nil : known }
      let found = BuildIDNote.read(place) ?? []
      read[identity] = found
      return found.isEmpty ? nil : found
    }
    return nil
  }

  /// Where the very file is, the surest first.
  private func places(
    _ path: String, _ pid: Int32, _ start: UInt64, _ length: UInt64, _ inode: UInt64
  ) -> [String] {
    // What is mapped itself, also where it was replaced or removed; only root may follow it.
    let range = String(start, radix: 16) + "-" + String(start &+ length, radix: 16)
    let mapped = "/proc/\(pid)/map_files/\(range)"
    let link = KernelFile.link(mapped)
    var places = link == path || link == path + " (deleted)" ? [mapped] : []
    // In the process's own file tree, or in Lull's when the process is gone.
    for place in ["/proc/\(pid)/root\(path)", path] {
      guard let identity = FileIdentity(place) else { continue }
      if identity.inode == inode || !identity.isOfDevice && place != path { places.append(place) }
    }
    return places
  }
}
