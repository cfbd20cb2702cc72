/// Turns records from one endianness to the other, field by field.
struct RecordSwapper {
  private let layouts: [SampleLayout]
  private let lookup: AttributeLookup
  private let formats: [TracepointFormat?]

  init(attributes: [EventAttribute], tracepoints: [Int: TracepointFormat]) {
    layouts = attributes.map { SampleLayout($0) }
    lookup = AttributeLookup(attributes)
    formats = attributes.map { attribute in
      attribute.type == 2 ? Int(exactly: attribute.config).flatMap { tracepoints[$0] } : nil
    }
  }

  /// The record in the other endianness; `toHost` tells that it is foreign now.
  ///
  /// What a record is too short for stays as it is.
  func swapped(_ record: ByteView, toHost: Bool) -> [UInt8] {
    var walk = Walk(bytes: [UInt8](record), isForeign: toHost)
    let header = RecordHeader(record, at: 0, isBigEndian: toHost)
    walk.fields([4, 2, 2])
    if header.type == RecordType.sample {
      sample(&walk)
    } else if header.type < RecordType.firstUser {
      other(&walk, header)
    } else if header.type == RecordType.auxtrace {
      walk.fields([8, 8, 8, 8, 4, 4, 4])
    }
    return walk.bytes
  }

  /// The widths of what a record that is no sample begins with.
  private static func widths(_ header: RecordHeader) -> [Int] {
    switch header.type {
    case RecordType.mmap: return [4, 4, 8, 8, 8]
    case RecordType.lost: return [8, 8]
    case RecordType.comm: return [4, 4]
    case RecordType.exit, RecordType.fork: return [4, 4, 4, 4, 8]
    case RecordType.throttle, RecordType.unthrottle: return [8, 8, 8]
    case RecordType.read: return [4, 4, 8, 8, 8, 8, 8]
    case RecordType.mmap2:
      // PERF_RECORD_MISC_MMAP_BUILD_ID: 24 bytes in place of numbers.
      let identity = header.misc & 1 << 14 != 0 ? [Int](repeating: 1, count: 24) : [4, 4, 8, 8]
      return [4, 4, 8, 8, 8] + identity + [4, 4]
    case 11: return [8, 8, 8]  // AUX
    case 12, 15: return [4, 4]  // ITRACE_START, SWITCH_CPU_WIDE
    case RecordType.lostSamples, 19, 21: return [8]  // CGROUP, AUX_OUTPUT_HW_ID
    case 16: return [4, 4, 8] + [Int](repeating: 8, count: 14)  // NAMESPACES: seven pairs
    case 17: return [8, 4, 2, 2]  // KSYMBOL
    case 18: return [2, 2, 4]  // BPF_EVENT
    case 20: return [8, 2, 2]  // TEXT_POKE
    default: return []
    }
  }

  private func other(_ walk: inout Walk, _ header: RecordHeader) {
    let place = walk.bytes.count - lookup.trailerPlace
    var attribute = lookup.defaultAttribute
    if lookup.trailerPlace >= 0, place >= 8 {
      attribute = lookup.attribute(of: walk.foreign(at: place))
    }
    let index = attribute >= 0 ? Int(attribute) : 0
    let trailer = layouts.indices.contains(index) ? layouts[index].trailerSize : 0
    walk.fields(Self.widths(header), until: walk.bytes.count - trailer)
    guard trailer > 0, trailer + 8 <= walk.bytes.count else { return }
    walk.position = walk.bytes.count - trailer
    layouts[index].walkTrailer(&walk)
  }

  private func sample(_ walk: inout Walk) {
    var attribute = lookup.defaultAttribute
    if lookup.samplePlace >= 0, lookup.samplePlace + 16 <= walk.bytes.count {
      attribute = lookup.attribute(of: walk.foreign(at: 8 + lookup.samplePlace))
    }
    guard layouts.indices.contains(Int(attribute)) else { return }
    walk.format = formats[Int(attribute)]
    layouts[Int(attribute)].walk(&walk)
  }

  static func elementSize(_ type: String) -> Int {
    let words = type.split(separator: " ")
    if words.contains("long") || type.contains("64") || type.contains("*") { return 8 }
    if words.contains("int") || words.contains("unsigned") && words.count == 1
      || type.contains("32")
    {
      return 4
    }
    if words.contains("short") || type.contains("16") { return 2 }
    return 1
  }

  /// A place in a record that moves on as fields are swapped. What the record is too short for is left.
  private struct Walk: SampleVisitor {
    var bytes: [UInt8]
    var position = 0
    /// Of a tracepoint's payload.
    var format: TracepointFormat?
    /// The numbers not yet passed are of the other endianness.
    let isForeign: Bool

    init(bytes: [UInt8], isForeign: Bool) {
      self.bytes = bytes
      self.isForeign = isForeign
    }

    mutating func fields(_ widths: [Int], until end: Int? = nil) {
      let end = min(end ?? bytes.count, bytes.count)
      for width in widths {
        guard width <= end - position else {
          position = end
          return
        }
        if width == 2 || width == 4 || width == 8 {
          bytes[position..<position + width].reverse()
        }
        position += width
      }
    }

    /// Swaps a number and gives its value.
    mutating func number(_ part: SamplePart) -> UInt64 {
      guard part.width <= bytes.count - position else {
        position = bytes.count
        return 0
      }
      let value = value(at: position, part.width)
      fields([part.width])
      return value
    }

    mutating func entries(_ count: UInt64, words: Int, _ part: SamplePart) {
      let (product, overflow) = count.multipliedReportingOverflow(by: UInt64(words))
      let numbers = overflow ? .max : product
      let room = UInt64((bytes.count - position) / 8)
      for _ in 0..<min(numbers, room) { fields([8]) }
      if numbers > room { position = bytes.count }
    }

    mutating func bytes(_ count: UInt64, _ part: SamplePart) {
      let start = position
      let isWhole = count <= UInt64(bytes.count - start)
      if part == .raw, isWhole { payload(Int(count)) }
      position = isWhole ? start + Int(count) : bytes.count
    }

    /// A tracepoint's fields by its format; numbers in an array by the size of its type.
    private mutating func payload(_ size: Int) {
      let start = position
      for field in format?.fields ?? [] where field.offset + field.size <= size {
        position = start + field.offset
        guard field.isArray else {
          fields([field.size])
          continue
        }
        let element = RecordSwapper.elementSize(field.typeName)
        for _ in 0..<field.size / element { fields([element]) }
      }
    }

    /// An 8-byte number that was not swapped yet.
    func foreign(at offset: Int) -> UInt64 { value(at: offset, 8) }

    private func value(at offset: Int, _ width: Int) -> UInt64 {
      var value: UInt64 = 0
      for index in 0..<width {
        let byte = bytes[offset + (isForeign ? index : width - 1 - index)]
        value = value << 8 | UInt64(byte)
      }
      return value
    }
  }
}
