import PerfData
import Testing

@testable import Recording

@Suite struct CoreFilterTests {
  @Test func `a set of threads keeps what it is given and refuses what no kernel gives`() {
    var threads = TrackedThreads(limit: 4096)
    var added: [Bool] = []
    var held: [Bool] = []
    for tid: Int32 in [1, 4096, 4096, 0, -1, 1_000_000] { added.append(threads.insert(tid)) }
    for tid: Int32 in [1, 4096, 2, 0, -1, 1_000_000] { held.append(threads.contains(tid)) }
    #expect(added == [true, true, false, false, false, false])
    #expect(held == [true, true, false, false, false, false])
    let count = threads.count
    #expect(count == 2)
    threads.remove(1)
    let remains = threads.contains(1)
    #expect(!remains)
  }

  @Test func `the filter of system calls takes the wanted numbers and no other`() {
    let wanted = SystemCallFilter.wanted
    for number in 0...600 {
      #expect(
        FilterExpression.matches(SystemCallFilter.expression, id: number)
          == wanted.contains(number), "system call \(number)")
    }
    // Of calls that failed only writes are recorded: nothing else was done.
    let failed = (0...600).filter {
      FilterExpression.matches(SystemCallFilter.expression, id: $0, result: -9)
    }
    #expect(failed == [SystemCallFilter.write])
    #expect(SystemCallFilter.expression.utf8.count < 4096)
    let waits = Set(SystemCallFilter.eventWaits)
    for number in 0...600 {
      #expect(
        FilterExpression.matches(SystemCallFilter.eventWaitsExpression, id: number)
          == waits.contains(number), "system call \(number)")
    }
  }

  @Test func `a socket belongs to the target by its maker, then by itself, then by its port`() {
    var filter = SocketFilter(ports: [8080])
    let soft: UInt8 = 0x10
    // Another's socket, changed in an interrupt that hit the target's thread.
    let others = filter.keeps(
      socket: 1, state: 1, port: 99, commonFlags: soft, isTargetThread: true)
    #expect(!others)
    // The target connects; the answer comes in an interrupt elsewhere; then it is closed.
    let connects = filter.keeps(
      socket: 2, state: 2, port: 99, commonFlags: 0, isTargetThread: true)
    let answered = filter.keeps(
      socket: 2, state: 1, port: 99, commonFlags: soft, isTargetThread: false)
    let closed = filter.keeps(
      socket: 2, state: 7, port: 99, commonFlags: soft, isTargetThread: false)
    let reused = filter.keeps(
      socket: 2, state: 1, port: 99, commonFlags: soft, isTargetThread: false)
    #expect([connects, answered, closed, reused] == [true, true, true, false])
    // The target listens, and is connected to.
    let accepted = filter.keeps(
      socket: 3, state: 3, port: 8080, commonFlags: soft, isTargetThread: false)
    let listens = filter.keeps(
      socket: 4, state: 10, port: 90, commonFlags: 0, isTargetThread: true)
    let later = filter.keeps(
      socket: 5, state: 3, port: 90, commonFlags: soft, isTargetThread: false)
    #expect([accepted, listens, later] == [true, true, true])
  }

  @Test func `a line of maps becomes the mapping that the kernel would have told`() {
    let line = "7f0000001000-7f0000003000 r-xp 00002000 fd:00 12345      /usr/lib/a b.so"
    let mapping = ProcessMaps.parse(Substring(line), pid: 7)
    #expect(mapping?.start == 0x7f00_0000_1000)
    #expect(mapping?.length == 0x2000)
    #expect(mapping?.fileOffset == 0x2000)
    #expect(mapping?.protection == 5)
    #expect(mapping?.path == "/usr/lib/a b.so")
    #expect(ProcessMaps.parse("7f00-7f10 rw-p 0 0:0 0", pid: 7) == nil)
    #expect(ProcessMaps.parse("7f10-7f00 r-xp 0 0:0 0", pid: 7) == nil)
    #expect(ProcessMaps.parse("nonsense", pid: 7) == nil)
  }

  @Test func `a build id is read from a note, and damage gives none`() {
    var file = [UInt8](repeating: 0, count: 200)
    file.replaceSubrange(0..<6, with: [0x7f, 0x45, 0x4c, 0x46, 2, 1])
    file[32] = 64
    file[54] = 56
    file[56] = 1
    file[64] = 4
    file[72] = 128
    file[96] = 36
    file.replaceSubrange(
      128..<144, with: [4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0, 0x47, 0x4e, 0x55, 0])
    file.replaceSubrange(144..<164, with: (1...20).map { UInt8($0) })
    #expect(BuildIDNote.parse(file) == (1...20).map { UInt8($0) })
    for end in stride(from: 0, to: 160, by: 3) {
      #expect(BuildIDNote.parse(Array(file[..<end])) == nil)
    }
    file[132] = 255
    #expect(BuildIDNote.parse(file) == nil)
  }
}

/// Evaluates the filters that `SystemCallFilter` makes, as the kernel does.
enum FilterExpression {
  private typealias Call = (id: Int, result: Int)

  static func matches(_ text: String, id: Int, result: Int = 0) -> Bool {
    var rest = Substring(text)
    return or(&rest, (id, result))
  }

  private static func or(_ rest: inout Substring, _ call: Call) -> Bool {
    var value = and(&rest, call)
    while rest.hasPrefix("||") {
      rest = rest.dropFirst(2)
      let next = and(&rest, call)
      value = value || next
    }
    return value
  }

  private static func and(_ rest: inout Substring, _ call: Call) -> Bool {
    var value = term(&rest, call)
    while rest.hasPrefix("&&") {
      rest = rest.dropFirst(2)
      let next = term(&rest, call)
      value = value && next
    }
    return value
  }

  private static func term(_ rest: inout Substring, _ call: Call) -> Bool {
    if rest.hasPrefix("(") {
      rest = rest.dropFirst()
      let value = or(&rest, call)
      rest = rest.dropFirst()
      return value
    }
    let field = rest.prefix { $0.isLetter }
    let value = field == "ret" ? call.result : call.id
    rest = rest.dropFirst(field.count)
    let sign = rest.prefix { !$0.isNumber }
    rest = rest.dropFirst(sign.count)
    let digits = rest.prefix { $0.isNumber }
    rest = rest.dropFirst(digits.count)
    guard let number = Int(digits) else { return false }
    switch sign {
    case "==": return value == number
    case "<": return value < number
    case ">=": return value >= number
    case "<=": return value <= number
    default: return false
    }
  }
}
