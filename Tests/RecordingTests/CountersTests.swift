import Glibc
import PerfData
import Testing

@testable import Recording

@Suite struct CountersTests {
  private static let worker = """
    import os, sys, time
    used = lambda: os.times().children_user + os.times().children_system
    before = used()
    print('ready', flush=True)
    sys.stdin.readline()
    if os.fork() == 0:
        end = time.process_time() + 0.2
        while time.process_time() < end: pass
        os._exit(0)
    os.wait()
    print(used() - before, flush=True)
    time.sleep(1000)
    """

  @Test func `a child's clock counts for its parent`() throws {
    let child = try #require(Bystander(["python3", "-c", Self.worker]))
    defer { child.end() }
    _ = child.line()
    let set = CounterSet.open(names: ["task-clock", "page-faults"], pid: child.pid)
    try #require(!set.names.isEmpty, "\(set.unavailable)")
    let before = set.readings()
    child.send("go")
    let seconds = try #require(Double(child.line()))
    let after = set.readings(final: true)
    #expect(after.allSatisfy { $0.final } && before.allSatisfy { !$0.final })
    let clock = (after.first?.value ?? 0) - (before.first?.value ?? 0)
    #expect(after.first?.unit == "ns")
    #expect(clock / 1e9 > seconds * 0.9 && clock / 1e9 < seconds * 1.25 + 0.05, "\(clock)")
    if after.count > 1 { #expect(after[1].value > before[1].value) }
  }

  @Test func `what cannot be counted is named with its reason`() {
    let set = CounterSet.open(
      names: ["no-such-event", "nothing/event/", "bad//name", "../x/y/"], pid: getpid())
    #expect(set.names.isEmpty && set.readings().isEmpty)
    #expect(set.unavailable.count == 4)
    #expect(set.unavailable[0].reason.contains("libpfm4"))
    #expect(set.unavailable[1].reason.contains("no nothing counters"))
    let standard = CounterSet.open(pid: getpid())
    #expect(standard.unavailable.allSatisfy { !$0.reason.isEmpty })
    #expect(
      standard.names.count + standard.unavailable.count == CounterSet.defaultNames.count)
    let nobody = CounterSet.open(names: ["task-clock"], pid: 4_194_305)
    #expect(nobody.unavailable.first?.reason.contains("4194305") == true)
  }

  @Test func `counts are scaled for the time that they ran`() {
    #expect(CounterSet.scaled(count: 100, enabled: 10, running: 10) == 100)
    #expect(CounterSet.scaled(count: 100, enabled: 10, running: 5) == 200)
    #expect(CounterSet.scaled(count: 0, enabled: 10, running: 0) == nil)
    #expect(CounterSet.scaled(count: 0, enabled: 0, running: 0) == 0)
    #expect(CounterSet.scaled(count: 7, enabled: 10, running: 11) == 7)
  }

  @Test func `the kernel's descriptions of events are understood`() throws {
    var template = Array("/tmp/lull-pmu-XXXXXX".utf8CString)
    let root = try #require(mkdtemp(&template).map { String(cString: $0) })
    var made: [String] = []
    func put(_ path: String, _ text: String) throws {
      let file = try #require(fopen("\(root)/\(path)", "w"))
      fputs(text, file)
      fclose(file)
      made.append("\(root)/\(path)")
    }
    for folder in ["/power", "/power/events", "/power/format"] { mkdir(root + folder, 0o700) }
    defer {
      for path in made { unlink(path) }
      for folder in ["/power/format", "/power/events", "/power", ""] { rmdir(root + folder) }
    }
    try put("power/type", "23\n")
    try put("power/cpumask", "0,2\n")
    try put("power/events/energy-pkg", "event=0x1f2,umask=0x3,edge\n")
    try put("power/events/energy-pkg.scale", "2.3283064365386962890625e-10\n")
    try put("power/events/energy-pkg.unit", "Joules\n")
    try put("power/format/event", "config:0-7,32-35\n")
    try put("power/format/umask", "config:8-15\n")
    try put("power/format/edge", "config1:3\n")
    try put("power/events/odd", "what=1\n")
    let event = try SystemPMU.event("power", "energy-pkg", root: root)
    #expect(event.code.type == 23 && event.code.config == 0x1_0000_03f2)
    #expect(event.code.config1 == 8)
    #expect(event.cpus == [0, 2] && event.unit == "Joules")
    #expect(event.scale * 4_294_967_296 == 1)
    #expect(throws: SystemPMU.Unavailable.self) {
      try SystemPMU.event("power", "odd", root: root)
    }
    #expect(throws: SystemPMU.Unavailable.self) {
      try SystemPMU.event("power", "missing", root: root)
    }
  }
}
