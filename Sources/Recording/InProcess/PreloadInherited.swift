import CPreloadRing
import PerfData

/// What a program has as it begins: whoever started it may have put something else in the place of its own
/// descriptors, and have it work elsewhere, where no call told of it.
extension PreloadSource {
  /// Takes in one of its descriptors.
  func tellDescriptor(_ record: lull_record, _ link: String, of process: PreloadProcess) {
    let (first, kinds, last) = record.arguments
    let descriptor = Int32(truncatingIfNeeded: UInt32(truncatingIfNeeded: first))
    let found = DescriptorTable.Resolved(
      link: link, hasName: last & 1 != 0, mode: UInt32(kinds & 0xffff), device: kinds >> 32,
      fileSystem: Int64(first >> 32), size: last >> 1)
    let event = DescriptorEvent(
      pid: Int(process.pid), fd: Int(descriptor), path: found.path, kind: found.kind,
      size: found.size)
    inherited.append((event, record.start))
    let kind = UInt32(kinds >> 16 & 0xffff)
    if kind == lull_descriptor_tcp.rawValue || kind == lull_descriptor_udp.rawValue {
      process.inheritedSockets.insert(descriptor)
    }
  }

  /// Takes in that its descriptors are told: of its caller's sockets, or the earlier program's, it has no others.
  func tellInherited(
    _ record: lull_record, _ folder: String?, of process: PreloadProcess, _ round: Round,
    into output: inout RecordBytes
  ) {
    let isAll = record.arguments.0 != 0
    if isAll || process.isNextProgram {
      let place = Place(pid: process.pid, tid: process.pid, time: record.start)
      sockets.keep(
        isAll ? process.inheritedSockets : [], of: process.pid, place, writer, into: &output)
    }
    process.inheritedSockets = []
    guard let folder else { return }
    round.tell([.moved(pid: process.pid, folder: folder, time: record.start)])
  }
}
