import PerfData

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Names of the kernel's functions for a trace that brings none for its stacks: from the list that perf put into it, or
/// from `/proc/kallsyms` if it was made on this machine since that was started.
struct KernelNames {
  /// What perf put into the trace, of the form of `/proc/kallsyms`.
  private let own: [UInt8]
  /// The kernel and the host that the trace says it is of.
  private let release: String?
  private let host: String?
  private let buildID: [UInt8]?
  /// The symbol by which perf tells where the kernel was put, and its address in the recording.
  var reference: (name: String, address: UInt64)?

  init(_ features: FileFeatures) {
    own = features.tracingData?.kallsyms ?? []
    release = features.osRelease
    host = features.hostname
    buildID = features.buildIDs.first { $0.path.hasPrefix("[kernel.kallsyms]") }?.buildID
  }

  /// Notes where the kernel's own mapping is, which perf calls `[kernel.kallsyms]_text`.
  mutating func note(_ mapping: MmapRecord) {
    let prefix = "[kernel.kallsyms]"
    guard mapping.pid == -1, mapping.path.hasPrefix(prefix) else { return }
    reference = (String(mapping.path.dropFirst(prefix.count)), mapping.fileOffset)
  }

  /// The functions by their addresses; none where the trace is of another machine, or these are hidden.
  func load() -> [KernelSymbolEvent] {
    let listed = Self.functions(own)
    if !listed.isEmpty { return listed }
    guard let reference, isOfThisKernel else { return [] }
    let symbols = Self.functions(Self.bytes("/proc/kallsyms"), reference: reference)
    return symbols
  }

  /// By the build ids where the trace has the kernel's, else by what machine and kernel call themselves.
  private var isOfThisKernel: Bool {
    var machine = utsname()
    guard uname(&machine) == 0 else { return false }
    if let buildID, !buildID.isEmpty {
      return Self.runningBuildID.map { $0.starts(with: buildID) || buildID.starts(with: $0) }
        ?? false
    }
    func text(_ field: some Any) -> String {
      withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
    return release == text(machine.release) && host == text(machine.nodename)
  }

  /// The note of the running kernel: ELF notes, of which the one of owner GNU and type 3 is the build id.
  private static var runningBuildID: [UInt8]? {
    let notes = bytes("/sys/kernel/notes")
    var offset = 0
    func word(_ place: Int) -> Int {
      (0..<4).reduce(0) { $0 | Int(notes[place + $1]) << (8 * $1) }
    }
    while notes.count - offset >= 12 {
      let (owner, size, type) = (word(offset), word(offset + 4), word(offset + 8))
      let start = offset + 12 + (owner + 3) / 4 * 4
      guard start <= notes.count, size <= notes.count - start else { return nil }
      if type == 3, Array(notes[(offset + 12)..<start].prefix(4)) == Array("GNU\0".utf8) {
        return Array(notes[start..<(start + size)])
      }
      offset = start + (size + 3) / 4 * 4
    }
    return nil
  }

  private static func bytes(_ path: String) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var result: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return result }
      result += buffer[..<count]
    }
  }

  /// Lines of "address type name", of which types t and w are functions; none where a symbol that is asked for has
  /// another address, as after a restart.
  private static func functions(
    _ text: [UInt8], reference: (name: String, address: UInt64)? = nil
  ) -> [KernelSymbolEvent] {
    var result: [KernelSymbolEvent] = []
    var isRight = reference == nil
    var place = 0
    while place < text.count {
      let end = text[place...].firstIndex(of: 10) ?? text.count
      var fields = text[place..<end].split(whereSeparator: { $0 == 0x20 || $0 == 0x09 })[...]
      place = end + 1
      guard fields.count >= 3, let first = fields.popFirst(),
        let address = UInt64(String(decoding: first, as: UTF8.self), radix: 16),
        let type = fields.popFirst()?.first, let name = fields.popFirst(), address != 0
      else { continue }
      if let reference, name.elementsEqual(reference.name.utf8) {
        guard address == reference.address else { return [] }
        isRight = true
      }
      // T, t, W and w.
      guard type | 0x20 == 0x74 || type | 0x20 == 0x77 else { continue }
      result.append(
        KernelSymbolEvent(address: address, name: String(decoding: name, as: UTF8.self)))
    }
    guard isRight else { return [] }
    result.sort { $0.address < $1.address }
    return result
  }
}
