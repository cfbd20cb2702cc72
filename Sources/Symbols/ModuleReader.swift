import CElf
import Glibc

/// Reads one ELF file through libelf and libdw and hands out plain arrays.
///
/// No pointer into the file leaves this class, so that the reading can move to another process.
public final class ModuleReader {
  /// One loadable part of the file.
  public struct Segment: Hashable, Sendable {
    var fileOffset: UInt64
    var fileSize: UInt64
    var address: UInt64
    var isExecutable: Bool
  }

  /// Instruction set of a module.
  public enum Machine: Hashable, Sendable { case x86, arm }

  /// What is known of a section without reading its contents.
  struct Section {
    var pointer: OpaquePointer
    var header: GElf_Shdr
    var name: String
  }

  public let path: String
  let isMapped: Bool
  let elf: OpaquePointer
  let descriptor: Int32
  let machine: Machine
  let segments: [Segment]
  let sections: [Section]
  /// Build id of the file, if it has one.
  public let buildID: [UInt8]?
  private(set) var openedDwarf: OpaquePointer?
  private var unpacked: UnpackedSections?
  /// Why the file has lines that cannot be read.
  private(set) var linesProblem: String?
  private var openedCallFrames: OpaquePointer?
  private var sectionless: SectionlessImage?
  private var triedDwarf = false

  /// Bounds on what one module may make Lull hold; generous for real files, firm for hostile ones.
  enum Limit {
    static let symbols = 8_000_000
    static let callFrameRows = 8_000_000
    static let callFrameWork = 400_000_000
    static let lineRows = 16_000_000
    static let units = 400_000
    static let sections = 100_000
    static let uncompressedSection: UInt64 = 1 << 30
    /// Of all sections of a file together.
    static let uncompressedSections: UInt64 = 2 << 30
    /// A section that unpacks to more than this many times its size, and more than `alwaysUnpacked`, is not believed.
    static let largestRatio: UInt64 = 2000
    static let alwaysUnpacked: UInt64 = 1 << 20
  }

  /// Whether libelf and libdw are installed.
  public static var isAvailable: Bool { lull_elf_load() }

  /// Opens a 64-bit little-endian ELF file of a known instruction set.
  ///
  /// With `expectedBuildID` a file of another build id is refused. What is looked at of a file that is mapped is not
  /// copied, but who makes the file shorter meanwhile ends the process that reads it (SIGBUS).
  public init(
    path: String, expectedBuildID: [UInt8]? = nil, isMapped: Bool = false
  ) throws(ModuleReaderError) {
    guard Self.isAvailable else {
      throw .unsupported(path: path, reason: "cannot be read without libdw: install libdw1")
    }
    _ = libdw.elf_version(UInt32(EV_CURRENT))
    // O_NONBLOCK: a fifo under the name of a module must not hang the analysis.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw .unreadable(
        path: path, reason: "cannot be opened (\(String(cString: strerror(errno))))")
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw .unsupported(path: path, reason: "is not a regular file")
    }
    guard
      let elf = libdw.elf_begin(descriptor, isMapped ? ELF_C_READ_MMAP : ELF_C_READ, nil)
    else {
      close(descriptor)
      throw .unsupported(path: path, reason: "is not an ELF file")
    }
    do throws(ModuleReaderError) {
      self.machine = try Self.machine(of: elf, path: path)
      let size = UInt64(max(0, status.st_size))
      self.segments = Self.segments(of: elf, fileSize: size)
      self.sections = Self.sections(of: elf, fileSize: size)
      self.buildID = Self.buildID(of: elf, fileSize: size)
      // An id of zeros is one that the recorder could not read.
      if let expectedBuildID, expectedBuildID.contains(where: { $0 != 0 }),
        buildID != expectedBuildID
      {
        throw .changed(path: path, expected: expectedBuildID, found: buildID ?? [])
      }
    } catch {
      _ = libdw.elf_end(elf)
      close(descriptor)
      throw error
    }
    self.path = path
    self.isMapped = isMapped
    self.elf = elf
    self.descriptor = descriptor
  }

  deinit {
    if let openedCallFrames { _ = libdw.dwarf_cfi_end(openedCallFrames) }
    if let openedDwarf { _ = libdw.dwarf_end(openedDwarf) }
    _ = libdw.elf_end(elf)
    close(descriptor)
  }

  /// The call frame information, opened at the first use.
  func openCallFrames() -> OpaquePointer? {
    if openedCallFrames == nil, let section = section(".eh_frame"),
      section.header.sh_type != UInt32(SHT_NOBITS)
    {
      if isMapped, isIndexBehindCallFrames {
        sectionless = SectionlessImage(descriptor: descriptor)
        openedCallFrames = sectionless.flatMap { libdw.dwarf_getcfi_elf($0.elf) }
      }
      openedCallFrames = openedCallFrames ?? libdw.dwarf_getcfi_elf(elf)
    }
    return openedCallFrames
  }

  private var isIndexBehindCallFrames: Bool {
    guard let frames = sections.firstIndex(where: { $0.name == ".eh_frame" }),
      let index = sections.firstIndex(where: { $0.name == ".eh_frame_hdr" })
    else { return false }
    return frames < index
  }

  /// Whether the file is a program rather than a library.
  public var isProgramFile: Bool {
    var header = GElf_Ehdr()
    guard libdw.gelf_getehdr(elf, &header) != nil else { return false }
    if header.e_type == UInt16(ET_EXEC) { return true }
    return dynamicEntries().contains { $0.tag == 0x6fff_fffb && $0.value & 0x0800_0000 != 0 }
  }

  /// Whether any section name starts with `prefix`.
  func hasSection(prefix: String) -> Bool { sections.contains { $0.name.hasPrefix(prefix) } }

  /// The section of that name, if the file has one.
  func section(_ name: String) -> Section? { sections.first { $0.name == name } }

  /// Up to `count` bytes of the file that are loaded at `address`.
  func bytes(at address: UInt64, count: Int) -> [UInt8] {
    Self.bytes(at: address, count: count, of: segments, descriptor: descriptor)
  }

  static func bytes(at address: UInt64, count: Int, of segments: [Segment], descriptor: Int32)
    -> [UInt8]
  {
    for segment in segments {
      guard address >= segment.address, address - segment.address < segment.fileSize else {
        continue
      }
      let inside = address - segment.address
      let wanted = min(count, Int(clamping: segment.fileSize - inside))
      let (offset, overflow) = segment.fileOffset.addingReportingOverflow(inside)
      guard !overflow, wanted > 0, offset <= UInt64(Int64.max) else { return [] }
      var result = [UInt8](repeating: 0, count: wanted)
      let got = pread(descriptor, &result, wanted, off_t(offset))
      return got == wanted ? result : []
    }
    return []
  }

  /// The debug information, opened at the first use.
  func dwarf() -> OpaquePointer? {
    if triedDwarf { return openedDwarf }
    triedDwarf = true
    do throws(UnpackedSections.Failure) {
      unpacked = try UnpackedSections(of: self)
      openedDwarf = libdw.dwarf_begin_elf(unpacked?.elf ?? elf, DWARF_C_READ, nil)
    } catch {
      linesProblem = "\(path): \(error.reason)"
    }
    return openedDwarf
  }

  /// Whether the file itself holds line tables.
  var hasLineTables: Bool {
    section(".debug_line").map { $0.header.sh_type != SHT_NOBITS } ?? false
  }

  /// Names of the libraries that the file needs.
  var neededLibraries: [String] {
    guard let dynamic = sections.first(where: { $0.header.sh_type == UInt32(SHT_DYNAMIC) }) else {
      return []
    }
    return dynamicEntries().filter { $0.tag == 1 }.compactMap { entry in
      libdw.elf_strptr(elf, Int(dynamic.header.sh_link), Int(clamping: entry.value))
        .map { String(cString: $0) }
    }
  }

  /// Libraries that a program's file holds itself. One that needs none at all has brought the C library too.
  var heldLibraries: HeldLibraries {
    guard isProgramFile else { return [] }
    let needed = neededLibraries
    var held: HeldLibraries = needed.isEmpty ? .c : []
    if hasSection(prefix: "swift5_"), !needed.contains(where: { $0.hasPrefix("libswiftCore.") }) {
      held.insert(.swift)
    }
    return held
  }

  private func dynamicEntries() -> [(tag: Int64, value: UInt64)] {
    guard
      let dynamic = sections.first(where: { $0.header.sh_type == SHT_DYNAMIC }),
      let data = libdw.elf_getdata(dynamic.pointer, nil)
    else { return [] }
    return (0..<min(4096, data.pointee.d_size / 16)).compactMap { index in
      var entry = GElf_Dyn()
      guard libdw.gelf_getdyn(data, Int32(index), &entry) != nil else { return nil }
      return (entry.d_tag, entry.d_un.d_val)
    }
  }
}
