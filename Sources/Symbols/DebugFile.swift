import CElf
import Glibc

/// Finds the separate file with the symbols and lines of a stripped module.
enum DebugFile {
  private static let root = "/usr/lib/debug"

  /// The file by build id, or by the module's debug link.
  static func find(for reader: ModuleReader) -> ModuleReader? {
    let link = link(of: reader)
    let names = Names(byBuildID: pathByBuildID(of: reader), link: link?.name)
    if let path = names.byBuildID,
      let found = try? ModuleReader(
        path: path, expectedBuildID: reader.buildID, isMapped: reader.isMapped),
      found.buildID == reader.buildID
    {
      return found
    }
    guard let link else { return nil }
    for path in names.linked(from: reader.path) {
      guard let found = try? ModuleReader(path: path, isMapped: reader.isMapped) else { continue }
      if let own = reader.buildID, let other = found.buildID {
        if own == other { return found }
      } else if checksum(path) == link.checksum {
        return found
      }
    }
    return nil
  }

  /// What it is looked for by, which is the same by whatever path the module is read.
  struct Names: Hashable, Sendable {
    /// Path of the file by build id; nil where the module has none.
    var byBuildID: String?
    /// What the module's debug link says: a plain file name.
    var link: String?

    /// All places where it is looked for, for a module at a path.
    func places(for module: String) -> [String] {
      (byBuildID.map { [$0] } ?? []) + linked(from: module)
    }

    /// Where the debug link may lead.
    func linked(from module: String) -> [String] {
      guard let link else { return [] }
      let directory = module.split(separator: "/", omittingEmptySubsequences: false)
        .dropLast().joined(separator: "/")
      return [
        "\(directory)/\(link)", "\(directory)/.debug/\(link)", "\(root)\(directory)/\(link)",
      ].filter { $0 != module }
    }
  }

  static func names(for reader: ModuleReader) -> Names {
    Names(byBuildID: pathByBuildID(of: reader), link: link(of: reader)?.name)
  }

  private static func pathByBuildID(of reader: ModuleReader) -> String? {
    guard let buildID = reader.buildID, buildID.count > 2 else { return nil }
    let text = BuildID.text(buildID)
    return "\(root)/.build-id/\(text.prefix(2))/\(text.dropFirst(2)).debug"
  }

  private static func link(of reader: ModuleReader) -> (name: String, checksum: UInt32)? {
    guard let section = reader.section(".gnu_debuglink"),
      let data = libdw.elf_rawdata(section.pointer, nil), let base = data.pointee.d_buf
    else { return nil }
    let bytes = UnsafeRawBufferPointer(start: base, count: data.pointee.d_size)
    guard let end = bytes.firstIndex(of: 0), end > 0 else { return nil }
    let position = (end + 4) & ~3
    guard position + 4 <= bytes.count else { return nil }
    let name = String(decoding: bytes[..<end], as: UTF8.self)
    // The link is a plain file name; anything else would lead out of the directories.
    guard !name.contains("/"), name != "..", name != "." else { return nil }
    return (name, bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self))
  }

  /// CRC-32 of the whole file, as the debug link states it.
  private static func checksum(_ path: String) -> UInt32? {
    let table = (0..<256).map { (index: UInt32) -> UInt32 in
      var value = index
      for _ in 0..<8 { value = value & 1 == 1 ? 0xedb8_8320 ^ (value >> 1) : value >> 1 }
      return value
    }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var result = UInt32.max
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0 { return nil }
      if count == 0 { return ~result }
      for byte in buffer[..<count] {
        result = table[Int((result ^ UInt32(byte)) & 0xff)] ^ (result >> 8)
      }
    }
  }
}
