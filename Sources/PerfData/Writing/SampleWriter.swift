/// Writes the parts of a sample, or of a trailer, that it is led along; those that it has no value for are zero or
/// empty.
struct SampleWriter: SampleVisitor {
  let id: UInt64
  let pid: Int32
  let tid: Int32
  let time: UInt64
  let cpu: Int32
  var period: UInt64 = 0
  var ip: UInt64 = 0
  var callchain: ArraySlice<UInt64> = []
  /// With its padding.
  private var raw: [UInt8] = []
  /// As many as the attribute asks for, or none.
  private var userRegisters: [UInt64] = []
  /// As the kernel does where there is none, an empty one takes no room, whatever the attribute asks for.
  private var userStack: ArraySlice<UInt8> = []
  /// Bytes that the user stack is padded to.
  private var stackSize = 0
  private var hasCounterID = false
  private(set) var body = ByteBuilder()

  init(id: UInt64, pid: Int32, tid: Int32, time: UInt64, cpu: Int32) {
    self.id = id
    self.pid = pid
    self.tid = tid
    self.time = time
    self.cpu = cpu
  }

  /// What has as many bytes as the attribute says, which are filled with zeros or left out.
  mutating func take(
    _ attribute: EventAttribute, raw: [UInt8], userRegisters: [UInt64], userStack: [UInt8]
  ) {
    hasCounterID = ReadFormat(rawValue: attribute.readFormat).contains(.id)
    let raw = raw.count <= RecordBuilder.largestRawPayload ? raw : []
    // The size and the bytes together are a multiple of 8. JSON is padded with spaces, which a
    // JSON reader skips, binary payloads with zeros.
    let padded = (raw.count + 4 + 7) / 8 * 8 - 4
    let filler: UInt8 = raw.first == 0x7b ? 0x20 : 0
    self.raw = raw + [UInt8](repeating: filler, count: padded - raw.count)
    let count = attribute.sampleRegsUser.nonzeroBitCount
    if !userRegisters.isEmpty {
      self.userRegisters = (0..<count).map { $0 < userRegisters.count ? userRegisters[$0] : 0 }
    }
    self.userStack = userStack[...]
    stackSize = userStack.isEmpty ? 0 : max(Int(attribute.sampleStackUser), userStack.count)
  }

  /// Cuts the stack to what there is room for behind the rest.
  private mutating func fitStack() {
    let room = max(0, RecordBuilder.largestRecord - 8 - body.count - 256)
    stackSize = min((stackSize + 7) / 8 * 8, room / 8 * 8)
    userStack = userStack.prefix(stackSize)
  }

  mutating func number(_ part: SamplePart) -> UInt64 {
    if part == .stackSize { fitStack() }
    let value = value(of: part)
    body.append(value, width: part.width)
    return value
  }

  private func value(of part: SamplePart) -> UInt64 {
    switch part {
    case .identifier, .id, .streamID, .counterID: id
    case .instructionPointer: ip
    case .pid: UInt64(UInt32(bitPattern: pid))
    case .tid: UInt64(UInt32(bitPattern: tid))
    case .time: time
    case .cpu: UInt64(UInt32(bitPattern: cpu))
    case .period, .counter: period
    case .counterCount: 1
    case .callchainLength: UInt64(callchain.count)
    case .rawSize: UInt64(raw.count)
    case .userABI: userRegisters.isEmpty ? 0 : 2
    case .stackSize: UInt64(stackSize)
    case .stackUsed: UInt64(userStack.count)
    default: 0
    }
  }

  mutating func entries(_ count: UInt64, words: Int, _ part: SamplePart) {
    switch part {
    case .callchain: for address in callchain { body.append(address) }
    case .userRegisters: for value in userRegisters { body.append(value) }
    case .counterValues:
      let values = [period] + (hasCounterID ? [id] : [])
      for word in 0..<words { body.append(word < values.count ? values[word] : 0) }
    default: break
    }
  }

  mutating func bytes(_ count: UInt64, _ part: SamplePart) {
    if part == .raw { body.append(contentsOf: raw) }
    if part == .stack {
      body.append(contentsOf: userStack)
      body.append(contentsOf: repeatElement(0, count: stackSize - userStack.count))
    }
  }
}
