import Glibc
import PerfData

/// How property lists are written.
enum PropertyList {
  /// The format of a file that is named as a property list; nil of others and of what cannot be read.
  static func format(of file: DescriptorTable.Resolved, at place: String) -> String? {
    guard file.kind == .regular, file.path.hasSuffix(".plist"),
      // What is there by now may be a FIFO, which must not block us.
      let opened = OwnedDescriptor(opening: place, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY)
    else { return nil }
    var information = stat()
    guard fstat(opened.number, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    var bytes = [UInt8](repeating: 0, count: 8)
    let count = bytes.withUnsafeMutableBytes { pread(opened.number, $0.baseAddress, $0.count, 0) }
    return count < 1 ? nil : format(of: bytes[..<count])
  }

  /// CoreFoundation's binary lists begin with `bplist`.
  static func format(of bytes: ArraySlice<UInt8>) -> String {
    bytes.starts(with: Array("bplist".utf8))
      ? DescriptorEvent.binaryFormat : DescriptorEvent.textFormat
  }
}
