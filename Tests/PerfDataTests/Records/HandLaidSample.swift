import Quantities

@testable import PerfData

/// A sample written down by the table of `perf_event_open(2)`, not by the walk that is tested.
struct HandLaidSample {
  /// A number of some bytes.
  typealias Number = (value: UInt64, width: Int)

  var attribute: EventAttribute
  var id: UInt64 = 77
  var ip: UInt64 = 0
  var (pid, tid): (UInt64, UInt64) = (5, 6)
  var time: UInt64 = 0
  var address: UInt64 = 0
  var cpu: UInt64 = 3
  var period: UInt64 = 0
  /// Value, id and lost of each.
  var counters: [[UInt64]] = []
  var (enabled, running): (UInt64, UInt64) = (0, 0)
  var callchain: [UInt64] = []
  /// With its padding.
  var raw: [UInt8] = []
  /// From, to and flags of each.
  var branches: [[UInt64]] = []
  var (userABI, interruptABI): (UInt64, UInt64) = (0, 0)
  var userRegisters: [UInt64] = []
  var interruptRegisters: [UInt64] = []
  var stack: [UInt8] = []
  var stackUsed: UInt64 = 0
  /// Weight, source, transaction, physical address, cgroup and both page sizes.
  var words: [UInt64] = [0, 0, 0, 0, 0, 0, 0]
  var aux: [UInt8] = []

  init(_ attribute: EventAttribute) { self.attribute = attribute }

  /// Random values for an attribute, lists of up to four entries.
  init(_ attribute: EventAttribute, _ random: inout SeededGenerator) {
    self.attribute = attribute
    func words(_ count: Int) -> [UInt64] { (0..<count).map { _ in random.next() } }
    func bytes(_ count: Int) -> [UInt8] { words(count).map { UInt8(truncatingIfNeeded: $0) } }
    let some = words(5)
    (id, ip, time, address, period) = (some[0], some[1], some[2], some[3], some[4])
    (pid, tid, cpu) = (random.next() >> 33, random.next() >> 33, random.next() >> 33)
    let isGroup = attribute.readFormat & 8 != 0
    counters = (0..<(isGroup ? Int(random.next() % 4) : 1)).map { _ in words(3) }
    (enabled, running) = (random.next(), random.next())
    callchain = words(Int(random.next() % 4))
    raw = bytes(Int(random.next() % 4) * 8 + 4)
    branches = (0..<random.next() % 4).map { _ in words(3) }
    (userABI, interruptABI) = (random.next() % 3, random.next() % 3)
    userRegisters = words(attribute.sampleRegsUser.nonzeroBitCount)
    interruptRegisters = words(attribute.sampleRegsIntr.nonzeroBitCount)
    stack = bytes(Int(random.next() % 4) * 8)
    stackUsed = stack.isEmpty ? 0 : random.next() % UInt64(stack.count + 1)
    self.words = words(7)
    aux = bytes(Int(random.next() % 3) * 8)
  }

  /// The table: each bit of `sample_type` with what stands there, in the kernel's order.
  private var table: [(bit: Int, numbers: [Number])] {
    let format = attribute.readFormat
    func word(_ value: UInt64) -> [Number] { [(value, 8)] }
    func words(_ values: [UInt64]) -> [Number] { values.map { ($0, 8) } }
    func bytes(_ values: [UInt8]) -> [Number] { values.map { (UInt64($0), 1) } }
    func reading(_ counter: [UInt64]) -> [Number] {
      (format & 4 != 0 ? word(counter[1]) : []) + (format & 16 != 0 ? word(counter[2]) : [])
    }
    let times =
      (format & 1 != 0 ? word(enabled) : []) + (format & 2 != 0 ? word(running) : [])
    let read =
      format & 8 != 0
      ? word(UInt64(counters.count)) + times + counters.flatMap { word($0[0]) + reading($0) }
      : counters.flatMap { word($0[0]) + times + reading($0) }
    let branchType = attribute.branchSampleType
    let branchWords =
      word(UInt64(branches.count)) + (branchType & 1 << 17 != 0 ? word(9) : [])
      + words(branches.flatMap { $0 })
      + (branchType & 1 << 19 != 0 ? words(branches.map { $0[0] }) : [])
    let (first, second) = (self.words[0], self.words[0] >> 32)
    return [
      (16, word(id)), (0, word(ip)), (1, [(pid, 4), (tid, 4)]), (2, word(time)),
      (3, word(address)), (6, word(id)), (9, word(id)), (7, [(cpu, 4), (0, 4)]), (8, word(period)),
      (4, read), (5, words([UInt64(callchain.count)] + callchain)),
      (10, [(UInt64(raw.count), 4)] + bytes(raw)), (11, branchWords),
      (12, word(userABI) + (userABI != 0 ? words(userRegisters) : [])),
      (13, word(UInt64(stack.count)) + (stack.isEmpty ? [] : bytes(stack) + word(stackUsed))),
      (14, word(first)),
      (24, [(first & 0xffff_ffff, 4), (second & 0xffff, 2), (second >> 16, 2)]),
      (15, word(self.words[1])), (17, word(self.words[2])),
      (18, word(interruptABI) + (interruptABI != 0 ? words(interruptRegisters) : [])),
      (19, word(self.words[3])), (21, word(self.words[4])), (22, word(self.words[5])),
      (23, word(self.words[6])), (20, word(UInt64(aux.count)) + bytes(aux)),
    ]
  }

  /// Bytes from the record's start to what stands for a bit of `sample_type`.
  func offset(ofBit wanted: Int) -> Int {
    8
      + table.prefix { $0.bit != wanted }.filter { has($0.bit) }.flatMap(\.numbers)
      .reduce(0) { $0 + $1.width }
  }

  private func has(_ bit: Int) -> Bool { attribute.sampleType.rawValue & 1 << UInt64(bit) != 0 }

  func record(isBigEndian: Bool = false) -> [UInt8] {
    let body = table.filter { has($0.bit) }.flatMap(\.numbers)
    let size = 8 + body.reduce(0) { $0 + $1.width }
    let header: [Number] = [(9, 4), (2, 2), (UInt64(size), 2)]
    return Self.bytes(header + body, isBigEndian: isBigEndian)
  }

  static func bytes(_ numbers: [Number], isBigEndian: Bool) -> [UInt8] {
    numbers.flatMap { number in
      let bytes = (0..<number.width).map { UInt8(truncatingIfNeeded: number.value >> (8 * $0)) }
      return isBigEndian ? bytes.reversed() : bytes
    }
  }
}
