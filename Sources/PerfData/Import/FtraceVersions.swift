/// Version 6: one part after another.
extension FtraceContents {
  mutating func readSixth(_ cursor: inout ByteCursor) throws(PerfDataError) {
    try readHeaderInfo(&cursor)
    try readFtraceFormats(&cursor)
    try readFormats(&cursor)
    _ = try cursor.range(UInt64(try cursor.u32("size of kallsyms")), "kallsyms")
    _ = try cursor.range(UInt64(try cursor.u32("size of the printk formats")), "printk formats")
    try readNames(&cursor)
    let cpus = try cursor.u32("count of CPUs")
    cpuCount = Int(cpus)
    var kind = try cursor.text(10, "kind of the data")
    if kind.hasPrefix("options") {
      while case let number = try cursor.read(UInt16.self, "option"), number != 0 {
        let size = try cursor.u32("size of an option")
        let range = try cursor.range(UInt64(size), "option")
        var option = ByteCursor(
          cursor.bytes, from: range.lowerBound, to: range.upperBound, isBigEndian: isBigEndian)
        if number == 3 {
          problems.append("only the events of the top instance are read")
        } else {
          try readOption(Int(number), &option)
        }
      }
      kind = try cursor.text(10, "kind of the data")
    }
    guard kind.hasPrefix("flyrecord") else { throw Self.latency(at: cursor.offset - 10) }
    for cpu in 0..<cpus {
      let offset = try cursor.u64("offset of a CPU's data")
      let size = try cursor.u64("size of a CPU's data")
      try add(cpu: cpu, offset: offset, size: size, isCompressed: false, cursor)
    }
  }

  static func latency(at offset: Int) -> PerfDataError {
    PerfDataError(
      .unsupported("a latency trace holds text instead of events: record with trace-cmd record -e"),
      offset: offset)
  }

  /// Adds a CPU's pages; what reaches beyond the end of the file is cut.
  mutating func add(
    cpu: UInt32, offset: UInt64, size: UInt64, isCompressed: Bool, _ cursor: ByteCursor
  ) throws(PerfDataError) {
    guard size > 0 else { return }
    let count = UInt64(cursor.bytes.count)
    guard offset < count else {
      problems.append("the file is cut: the events of CPU \(cpu) are missing")
      return
    }
    let end = min(count, offset.addingReportingOverflow(size).overflow ? count : offset + size)
    if end - offset < size {
      problems.append("the file is cut: \(size - (end - offset)) bytes of CPU \(cpu) are missing")
    }
    pages.append(
      Pages(
        cpu: Int32(truncatingIfNeeded: cpu), range: Int(offset)..<Int(end),
        isCompressed: isCompressed))
  }
}

/// Version 7: sections, found by options.
extension FtraceContents {
  private enum Option {
    static let done = 0, buffer = 3, headerInfo = 16, ftraceEvents = 17, eventFormats = 18
    static let names = 21, textBuffer = 22
  }

  mutating func readSeventh(_ cursor: inout ByteCursor) throws(PerfDataError) {
    compression = try cursor.zeroTerminated("name of the compression")
    _ = try cursor.zeroTerminated("version of the compression")
    var next = try cursor.u64("offset of the options")
    var seen: Set<UInt64> = []
    var buffers: [ByteCursor] = []
    // Each group of options says where the next one is; one that comes twice would never end.
    while next != 0, seen.insert(next).inserted {
      let section = try section(at: next, cursor.bytes)
      next = try section.withCursor(isBigEndian: isBigEndian) { options throws(PerfDataError) in
        try readOptions(&options, cursor.bytes, &buffers)
      }
    }
    for var buffer in buffers { try readBuffer(&buffer, in: cursor.bytes) }
  }

  /// Reads a group of options and gives where the next is.
  private mutating func readOptions(
    _ options: inout ByteCursor, _ file: ByteView, _ buffers: inout [ByteCursor]
  ) throws(PerfDataError) -> UInt64 {
    while options.remaining >= 6 {
      let number = Int(try options.read(UInt16.self, "option"))
      let size = try options.u32("size of an option")
      let range = try options.range(UInt64(size), "option")
      var option = ByteCursor(
        options.bytes, from: range.lowerBound, to: range.upperBound, isBigEndian: isBigEndian)
      switch number {
      case Option.done: return try option.u64("offset of the next options")
      case Option.buffer: buffers.append(option)
      case Option.textBuffer: throw Self.latency(at: range.lowerBound)
      case Option.headerInfo, Option.ftraceEvents, Option.eventFormats, Option.names:
        let section = try section(at: try option.u64("offset of a section"), file)
        try section.withCursor(isBigEndian: isBigEndian) { content throws(PerfDataError) in
          switch number {
          case Option.headerInfo: try readHeaderInfo(&content)
          case Option.ftraceEvents: try readFtraceFormats(&content)
          case Option.eventFormats: try readFormats(&content)
          default: try readNames(&content)
          }
        }
      default: try readOption(number, &option)
      }
    }
    return 0
  }

  /// A BUFFER option: where each CPU's pages are.
  private mutating func readBuffer(
    _ option: inout ByteCursor, in file: ByteView
  ) throws(PerfDataError) {
    let offset = try option.u64("offset of a buffer")
    let name = try option.zeroTerminated("name of an instance")
    let clock = try option.zeroTerminated("clock of an instance")
    if let first = self.clock, first != clock {
      problems.append("the events of instance \(name) are left out: its clock is \(clock)")
      return
    }
    self.clock = clock
    let size = try option.u32("page size")
    guard Int(size) == pageSize else {
      problems.append("the events of instance \(name) are left out: their pages have another size")
      return
    }
    var header = ByteCursor(
      file, from: Int(clamping: offset), to: file.count, isBigEndian: isBigEndian)
    _ = try header.read(UInt16.self, "id of a section")
    let isCompressed = try header.read(UInt16.self, "flags of a section") & 1 != 0
    for _ in 0..<(try option.u32("count of CPUs")) {
      let cpu = try option.u32("CPU")
      let start = try option.u64("offset of a CPU's data")
      let bytes = try option.u64("size of a CPU's data")
      // The count of compressed chunks goes before what the size counts.
      let size = isCompressed && bytes > 0 ? bytes.addingReportingOverflow(4) : (bytes, false)
      try add(
        cpu: cpu, offset: start, size: size.1 ? bytes : size.0, isCompressed: isCompressed, header)
    }
  }

  /// A section's content: part of the file, or unpacked.
  private struct Section {
    var file: ByteView
    var range: Range<Int>
    var unpacked: [UInt8]?

    func withCursor<Result>(
      isBigEndian: Bool, _ body: (inout ByteCursor) throws(PerfDataError) -> Result
    ) throws(PerfDataError) -> Result {
      guard let unpacked else {
        var cursor = ByteCursor(
          file, from: range.lowerBound, to: range.upperBound, isBigEndian: isBigEndian)
        return try body(&cursor)
      }
      return try unpacked.withView { bytes throws(PerfDataError) in
        var cursor = ByteCursor(bytes, from: 0, to: bytes.count, isBigEndian: isBigEndian)
        return try body(&cursor)
      }
    }
  }

  private func section(
    at offset: UInt64, _ file: ByteView
  ) throws(PerfDataError) -> Section {
    var cursor = ByteCursor(
      file, from: Int(clamping: offset), to: file.count, isBigEndian: isBigEndian)
    _ = try cursor.read(UInt16.self, "id of a section")
    let flags = try cursor.read(UInt16.self, "flags of a section")
    _ = try cursor.u32("name of a section")
    let size = try cursor.u64("size of a section")
    guard flags & 1 != 0 else {
      return Section(file: file, range: try cursor.range(size, "section"), unpacked: nil)
    }
    var chunk = PackedChunk(compression: compression)
    try chunk.read(&cursor)
    return Section(file: file, range: 0..<0, unpacked: chunk.bytes)
  }
}
