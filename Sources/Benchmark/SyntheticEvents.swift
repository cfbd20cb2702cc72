import PerfData

/// Tracepoints of a made-up kernel, and samples of them as perf would have written them for two CPUs.
struct SyntheticEvents {
  enum Field {
    case name(String)
    case int(String)
    case long(String)
    case longs(String, Int)

    var declaration: String {
      switch self {
      case .name(let name): "char \(name)[16]"
      case .int(let name): "int \(name)"
      case .long(let name): "long \(name)"
      case .longs(let name, let count): "unsigned long \(name)[\(count)]"
      }
    }

    var size: Int {
      switch self {
      case .name: 16
      case .int: 4
      case .long: 8
      case .longs(_, let count): 8 * count
      }
    }

    var alignment: Int {
      switch self {
      case .name: 1
      case .int: 4
      case .long, .longs: 8
      }
    }

    var isSigned: Bool {
      switch self {
      case .int, .long: true
      case .name, .longs: false
      }
    }
  }

  /// Offsets in a sample of IDENTIFIER, IP, TID, TIME, CPU, PERIOD and RAW.
  private enum At {
    static let id = 8
    static let tid = 24
    static let time = 32
    static let cpu = 40
    static let raw = 60
  }

  private static let fields: SampleFields = [.base, .instructionPointer, .period]

  private let attributes: [EventAttribute]
  let features: FileFeatures
  private let firstID: Int
  private var templates: [[UInt8]] = []

  init(system: String, firstID: Int, command: [String], _ events: [(String, [Field])]) {
    self.firstID = firstID
    var features = FileFeatures()
    features.hostname = "bench"
    features.osRelease = "6.1.0"
    features.perfVersion = "6.1"
    features.architecture = "x86_64"
    features.cpusOnline = 2
    features.cpusAvailable = 2
    features.commandLine = command
    var attributes = [
      EventAttribute(type: 1, config: 9, sampleType: Self.fields, ids: [10, 11], name: "dummy:HG")
    ]
    var formats: [TracingData.Format] = []
    for (index, event) in events.enumerated() {
      let (format, size) = Self.format(event.0, id: firstID + index, event.1)
      formats.append(TracingData.Format(system: system, text: format))
      let attribute = EventAttribute(
        type: 2, config: UInt64(firstID + index), sampleType: Self.fields.union(.raw),
        ids: [UInt64(20 + 2 * index), UInt64(21 + 2 * index)], name: "\(system):\(event.0)")
      attributes.append(attribute)
      templates.append(
        RecordBuilder.sample(
          attribute: attribute, id: attribute.ids[0], time: 0, pid: 1000, tid: 1000, cpu: 0,
          raw: [UInt8](repeating: 0, count: size)))
    }
    features.tracingData = TracingData(
      headerPage: [
        ("u64 timestamp", 0, 8), ("local_t commit", 8, 8), ("int overwrite", 8, 1),
        ("char data", 16, 4080),
      ]
      .map { "\tfield: \($0.0);\toffset:\($0.1);\tsize:\($0.2);\tsigned:0;\n" }.joined(),
      headerEvent: "", formats: formats)
    self.features = features
    self.attributes = attributes
  }

  private static func format(
    _ name: String, id: Int, _ fields: [Field]
  ) -> (text: String, size: Int) {
    var text = "name: \(name)\nID: \(id)\nformat:\n"
    text += "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
    text += "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
    text += "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
    text += "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
    var offset = 8
    for field in fields {
      offset = (offset + field.alignment - 1) / field.alignment * field.alignment
      text += "\tfield:\(field.declaration);\toffset:\(offset);\tsize:\(field.size);"
      text += "\tsigned:\(field.isSigned ? 1 : 0);\n"
      offset += field.size
    }
    // The kernel's raw data are aligned so that a word follows the 4-byte size.
    return (text + "\nprint fmt: \"\"\n", (offset + 4 + 7) / 8 * 8 - 4)
  }

  /// A trace that begins with the process `bench` and its threads, which are numbered from 1000.
  func writer(to path: String, threads: Int32, time: UInt64) throws -> PerfDataWriter {
    let writer = try PerfDataWriter(path: path, attributes: attributes, features: features)
    var head: [UInt8] = []
    for tid in 1000..<(1000 + threads) {
      head += RecordBuilder.fork(
        pid: 1000, parentPid: tid == 1000 ? 1 : 1000, tid: tid, parentTid: 1000, time: time, id: 10)
      head += RecordBuilder.comm(
        pid: 1000, tid: tid, name: "bench", isExec: tid == 1000, time: time, id: 10)
    }
    try writer.append(head)
    return writer
  }

  /// The same numbers each time, so that a trace is made of the same bytes (Marsaglia's xorshift).
  struct Random {
    private var state: UInt64 = 88_172_645_463_325_252

    mutating func next() -> UInt64 {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return state
    }
  }

  /// A sample's payload while it is filled in.
  struct Payload {
    fileprivate var bytes: UnsafeMutableRawBufferPointer

    func put<T: FixedWidthInteger & BitwiseCopyable>(_ value: T, at offset: Int) {
      bytes.storeBytes(of: value.littleEndian, toByteOffset: offset, as: T.self)
    }
  }

  /// Adds a sample of the event of that index; `fill` writes its own fields, at offsets in the payload.
  func append(
    _ event: Int, to ring: inout [UInt8], time: UInt64, cpu: Int, pid: Int32, tid: Int32,
    _ fill: (Payload) -> Void
  ) {
    let start = ring.count
    ring += templates[event]
    ring.withUnsafeMutableBytes { all in
      let sample = Payload(bytes: UnsafeMutableRawBufferPointer(rebasing: all[start...]))
      sample.put(attributes[event + 1].ids[cpu], at: At.id)
      sample.put(pid, at: At.tid)
      sample.put(tid, at: At.tid + 4)
      sample.put(time, at: At.time)
      sample.put(Int32(cpu), at: At.cpu)
      let payload = Payload(
        bytes: UnsafeMutableRawBufferPointer(rebasing: all[(start + At.raw)...]))
      payload.put(UInt16(firstID + event), at: 0)
      payload.put(tid, at: 4)
      fill(payload)
    }
  }
}
