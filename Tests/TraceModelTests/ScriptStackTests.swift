import PerfData
import TestSupport
import Testing

@testable import TraceModel

/// The text of `perf script` with stacks, as flame graph tools take it.
struct ScriptStackTests {
  /// As perf, simpleperf's report_sample.py and old versions of perf print them.
  static let text = """
    # captured on: somewhere
    spin 21131  1759.858415:    1003009 cpu-clock:
    \t            119b hot(int, char (*)()) const+0x32 (/var/tmp/case/spin)
    \t            1218 main+0x20 (/var/tmp/case/spin)
    \t           2724a __libc_start_call_main+0x7a (/usr/lib/x86_64-linux-gnu/libc.so.6)

    spin 21131  1759.858415:    1003009 cpu-clock:
    \tffffffff8103ce3b clear_page_erms+0xb ([kernel.kallsyms])
    \t            119b hot(int, char (*)()) const+0x32 (/var/tmp/case/spin)

    spin\t21131/21132 [003] 1759.859417: 1003009 cpu-clock:
               4005d6 [unknown] (/opt/app/libx.so)
               4005d0 inner (inlined)

    spin 21131 [000]  1759.860437:    1003009 cpu-clock:  7f001010 alone (/var/tmp/case/spin)
    spin 21131 [000]  1759.861437: sched:sched_switch: prev_comm=spin prev_pid=21131 prev_state=S ==> next_pid=0
    \tffffffff810a1c2d schedule+0x2d ([kernel.kallsyms])
    \tffffffff81121c2d do_nanosleep+0x6d ([kernel.kallsyms])
    \t            1300 nap+0x1 (/var/tmp/case/spin)

    spin 21131 [000]  1761.960437:    1003009 cpu-clock:  7f001010 alone (/var/tmp/case/spin)
    """

  @Test func `the stacks and names of a text are those of its samples`() throws {
    let trace = try TemporaryDirectory.withFile(Array(Self.text.utf8)) { try Trace.load(path: $0) }
    let stacks = trace.processorSamples.map { sample in
      sample.stack.map { trace.stacks.frames(of: $0) } ?? []
    }
    #expect(
      stacks.map { $0.map(\.displayName) } == [
        ["hot(int, char (*)()) const", "main", "__libc_start_call_main"],
        ["clear_page_erms", "hot(int, char (*)()) const"], ["/opt/app/libx.so+0x4005d6", "inner"],
        ["alone"], ["alone"],
      ])
    #expect(stacks[1].map(\.isKernel) == [true, false])
    #expect(stacks[0].map(\.isProgram) == [true, true, false])
    #expect(trace.processorSamples.map(\.tid) == [21131, 21131, 21132, 21131, 21131])
    #expect(trace.processorSamples.allSatisfy { $0.period == 1_003_009 })
    #expect(trace.processorEvent?.isClock == true)
    let wait = try #require(
      trace.threads.flatMap { Array($0.intervals) }.first {
        if case .blocked = $0.state { $0.stack != nil } else { false }
      })
    #expect(wait.state == .blocked(.sleep))
    #expect(
      trace.stacks.frames(of: try #require(wait.stack)).map(\.displayName)
        == ["schedule", "do_nanosleep", "nap"])
    #expect(trace.metadata.truncated == false)
  }

  @Test func `events of a text are what their names say`() throws {
    let text = """
      a 1 1.000001: 5 cycles:ppp: 
      a 1 1.000002: 7 cycles:ppp: 
      a 1 1.000003: 1 page-faults:u: 
      a 1 1.000004: 9 cpu/event=0x3c/: 

      """
    let trace = try TemporaryDirectory.withFile(Array(text.utf8)) { try Trace.load(path: $0) }
    #expect(trace.processorEvent == trace.sharesEvent && trace.processorEvent?.name == "cycles:ppp")
    #expect(trace.processorSamples.map(\.period) == [5, 7])
  }

  @Test func `the idle task of a text is no process, and its CPUs are those of its lines`() throws {
    let text = """
      swapper 0 [001] 1.000001: sched:sched_switch: \
      prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R \
      ==> next_comm=a next_pid=7 next_prio=120
      a 7 [001] 1.000301: sched:sched_switch: \
      prev_comm=a prev_pid=7 prev_prio=120 prev_state=S \
      ==> next_comm=swapper/1 next_pid=0 next_prio=120
      swapper 0 [000] 1.500001: sched:sched_switch: \
      prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R \
      ==> next_comm=a next_pid=7 next_prio=120
      a 7 [000] 1.500201: sched:sched_switch: \
      prev_comm=a prev_pid=7 prev_prio=120 prev_state=S \
      ==> next_comm=swapper/0 next_pid=0 next_prio=120

      """
    let trace = try TemporaryDirectory.withFile(Array(text.utf8)) { try Trace.load(path: $0) }
    #expect(trace.processes.map(\.name) == ["a"])
    #expect(trace.metadata.cpuCount == 2)
    #expect(trace.subject.cpuSeconds == 0.0005)
  }
}
