import Quantities
import Signals
import Testing
import TraceModel

@testable import Reporting

@Suite struct TextReportTests {
  private func lines(_ report: Report, width: Int = 80) -> [String] {
    TextReport.render(report, options: TextOptions(width: width))
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// As the lines are, but one: what was broken over lines can be searched for.
  private func flowing(_ report: Report) -> String {
    lines(report).joined(separator: " ").split(separator: " ").joined(separator: " ")
  }

  @Test func `wakeups of which more are not told are the least that there were`() {
    var report = SampleReport.report()
    #expect(!TextReport.render(report).contains("all          at least"))
    report.signals.wakeups?.isLeast = true
    #expect(TextReport.render(report).contains("all          at least"))
  }

  @Test(arguments: [40, 60, 80])
  func `no line is wider than asked for`(width: Int) {
    for line in lines(SampleReport.report(), width: width) {
      #expect(Columns.width(line) <= width, "\(line)")
      #expect(!line.hasSuffix(" "))
    }
  }

  @Test func `the verdict comes first, with the function to blame and the guide's section`() {
    let text = flowing(SampleReport.report())
    let score = text.range(of: "Score ")?.lowerBound
    let findings = text.range(of: "Worst findings")?.lowerBound
    let signals = text.range(of: "Main thread thread server")?.lowerBound
    let recording = text.range(of: "Recording trace")?.lowerBound
    #expect(score != nil && findings != nil && signals != nil && recording != nil)
    if let score, let findings, let signals, let recording {
      #expect(score < findings && findings < signals && signals < recording)
    }
    #expect(text.contains("blame: "))
    #expect(text.contains("guide: iOS Application Programming Guide"))
    // One hang in a minute tells that there are some, not how many.
    let seen =
      "main-thread-hangs: 1 hang, the longest 2.12 s, in Loader.loadAll() (Loader.swift:42)"
    #expect(text.contains("Seen, but too little to tell \(seen); score "))
  }

  @Test func `each signal's figures are there`() {
    let text = flowing(SampleReport.report())
    for figure in [
      "blocked 2.25 s", "file 1.5 s, lock 750 ms", "1 critical",
      "2.12 s at 3.250 s in Loader.loadAll() (Loader.swift:42)", "launch 350 ms",
      "6,000, 100 a second", "1,800, 30.0 a second", "timer 4,000, network 2,000",
      "12.0 kB in 12 sends", "140 kB in 14 receives", "12.5 J, 12.0 J of it in tails",
      "4 MB in 40 writes", "4, taking 500 ms", "/var/lib/app/state.db", "120 MB at its peak",
      "6 s (user 5 s, system 1 s)", "instructions: 123,456,789",
      "Lull itself used 600 ms of CPU time (1 % of one core)", "privilege: root",
      "one event in 8", "123,456 events, exactly",
      "counters: no PMU in this virtual machine", "nothing was lost",
    ] { #expect(text.contains(figure), "\(figure) is not in:\n\(text)") }
  }

  // Twenty writes and twenty syncs were "40 calls".
  @Test func `who is to blame for writes has its syncs beside them`() {
    func row(_ function: String, writes: Double, syncs: Double?) -> BlameRowSection {
      BlameRowSection(
        function: function, module: "/app", file: nil, line: nil, cause: nil, selfSeconds: 0,
        selfSecondsInterval: nil, samples: nil, inclusiveSeconds: 0, count: writes,
        inclusiveCount: writes, syncs: syncs, bytes: writes * 100, inclusiveBytes: writes * 100,
        joules: 0)
    }
    var report = SampleReport.report()
    report.blame.disk = [
      row("save()", writes: 20, syncs: 20), row("flush()", writes: 0, syncs: 3),
      row("log()", writes: 7, syncs: nil),
    ]
    let text = flowing(report)
    for said in [
      "2 kB in 20 writes, 20 syncs: save()", "3 syncs: flush()", "700 B in 7 writes: log()",
    ] { #expect(text.contains(said), "\(said) is not in:\n\(text)") }
  }

  @Test func `a program that is not Swift, without an event loop, is said to be so`() {
    var signals = SampleReport.signals()
    signals.mainThread?.hasEventLoop = false
    let text = flowing(
      SampleReport.report(signals: signals, process: SampleReport.process(isSwift: false)))
    #expect(text.contains("server is not a Swift program"))
    #expect(text.contains("no event loop"))
    #expect(!text.contains("critical"))
  }

  @Test(arguments: [
    (0, "4, taking 500 ms"), (1, "4, 3 of them taking 500 ms"),
    (4, "4; how long they took was not recorded"),
  ])
  func `what syncs took is said of those of which it was recorded`(untimed: Int, text: String) {
    var signals = SampleReport.signals()
    signals.disk?.syncsUntimed = untimed
    #expect(flowing(SampleReport.report(signals: signals)).contains("syncs \(text)"))
  }

  @Test(arguments: [nil, "1 sync more was of a file that is not known"])
  func `that there were no syncs is said only where all of them are known`(missing: String?) {
    var signals = SampleReport.signals()
    signals.disk?.syncs = 0
    signals.disk?.missing = missing
    let text = flowing(SampleReport.report(signals: signals))
    #expect(text.contains("syncs none that is known") == (missing != nil))
    #expect(text.contains("syncs none"))
  }

  // It stood there as 0 B.
  @Test func `what a process wrote is not known where the files of none of it are`() {
    var signals = SampleReport.signals()
    signals.disk?.missing = "20 writes of 100 B more were of files that are not known"
    var process = SampleReport.process()
    #expect(
      SampleReport.report(signals: signals, process: process).processes[0].bytesWritten != nil)
    process.bytesWritten = 0
    #expect(
      SampleReport.report(signals: signals, process: process).processes[0].bytesWritten == nil)
    #expect(SampleReport.report(process: process).processes[0].bytesWritten == 0)
  }

  // 399,829 stood beside 400,000 that were counted.
  @Test(arguments: [false, true])
  func `counts of writes that were sampled are not exact`(areSampled: Bool) {
    var signals = SampleReport.signals()
    let writes = signals.disk.map { Figures.count($0.writes, "write") } ?? ""
    #expect(flowing(SampleReport.report(signals: signals)).contains("in \(writes)"))
    if areSampled { signals.disk?.sampledBytes = SampledBytes() }
    let text = flowing(SampleReport.report(signals: signals))
    #expect(text.contains("in about \(writes)") == areSampled, "\(text)")
    #expect(text.contains("written about") == areSampled)
  }

  @Test func `what many small files brought is a row of its own`() {
    var signals = SampleReport.signals()
    #expect(!flowing(SampleReport.report(signals: signals)).contains("other files"))
    signals.disk?.otherReads = OtherReads(files: 200, reads: 400, bytes: 1_600_000)
    let text = flowing(SampleReport.report(signals: signals))
    #expect(
      text.contains(
        "other files 1.6 MB read in 400 reads of less than 64 KiB, of which is not told; 200 files opened"
      ),
      "\(text)")
    signals.disk?.smallReadsMeasured = true
    let known = flowing(SampleReport.report(signals: signals))
    #expect(
      known.contains(
        "other files 1.6 MB read in 400 reads of 200 more files, pipes, terminals, files of /proc"
      ),
      "\(known)")
    signals.disk?.otherReads?.files = 0
    let none = flowing(SampleReport.report(signals: signals))
    #expect(
      none.contains(
        "other reads 1.6 MB read in 400 reads of pipes, terminals, files of /proc and in memory"
      ),
      "\(none)")
  }

  @Test func `of a thousand files that were read a hundred are listed, and the others in sum`() {
    var signals = SampleReport.signals()
    signals.disk?.readsMeasured = true
    signals.disk?.smallReadsMeasured = true
    let written = signals.disk?.files.count ?? 0
    for number in 0..<1000 {
      signals.disk?.files.append(
        FileUse(path: "/data/note\(number)", reads: 2, bytesRead: UInt64(1000 + number)))
    }
    signals.disk?.otherReads = OtherReads(files: 0, reads: 10, bytes: 500)
    let disk = SampleReport.report(signals: signals).signals.disk
    #expect(disk?.files.count == written + 100)
    #expect(
      disk?.files.filter { $0.path.hasPrefix("/data/note") }.compactMap(\.bytesRead).min() == 1900)
    #expect(
      disk?.otherReads
        == OtherReadsSection(files: 900, reads: 10 + 1800, bytes: 500 + 900 * 1000 + 899 * 900 / 2))
  }

  @Test func `losses and truncation are said beside the score and at the end`() {
    var report = SampleReport.report()
    report.trace.truncated = true
    report.trace.truncationNote = "the tail is missing"
    report.trace.lostEvents = 1234
    let text = flowing(report)
    #expect(text.contains("note The trace is truncated: the tail is missing"))
    #expect(text.contains("losses 1,234 events lost: figures may be too low"))
    report.trace.lostSeconds = 1.5
    #expect(
      flowing(report).contains(
        "1,234 events lost, which would have told of about 1.5 s: figures may be too low"))
  }

  @Test func `files without names and files without lines are told apart`() {
    var report = SampleReport.report()
    report.trace.symbolProblems = ["/a: changed"]
    report.trace.nameDoubts = ["/c: written later"]
    report.trace.lineProblems = (1...5).map { "/b\($0): damaged" }
    let text = flowing(report)
    let names = "names missing /a: changed names in doubt /c: written later"
    #expect(text.contains(names + " lines missing /b1: damaged"), "\(text)")
    #expect(text.contains("/b3: damaged and of 2 more files"))
    #expect(!text.contains("/b4"))
  }

  @Test func `a signal that was not measured is never zero`() {
    var signals = SignalSet(durationSeconds: 1)
    signals.unavailable = [.disk: "no tracefs"]
    let text = flowing(SampleReport.report(signals: signals))
    #expect(text.contains("Disk not measured: no tracefs"))
    #expect(text.contains("Score none: nothing could be scored"))
  }

  @Test func `of a short recording what Lull used is no share of it`() {
    var report = SampleReport.report()
    report.trace.durationSeconds = 0.016
    let text = TextReport.render(report)
    #expect(text.contains("Lull itself used 600 ms of CPU time\n"), "\(text)")
  }

  @Test func `why there is no score is said to its end, however long`() {
    var report = SampleReport.report()
    report.score.overall = nil
    report.score.note =
      "1 of 9 rules was not measured, and 400 ms are too little to tell; a recording of 30 s would do"
    let text = TextReport.render(report)
    #expect(text.contains("Score none: 1 of 9 rules was not measured"), "\(text)")
    #expect(text.contains("would do\n"), "\(text)")
  }

  @Test func `what a program did is a share of the time that it lived in`() throws {
    var report = SampleReport.report()
    report.phases = [
      Phase(name: .launch, start: 9, durationSeconds: 0.25),
      Phase(name: .active, start: 9.25, durationSeconds: 0.75),
    ].map(PhaseBuilding.phase)
    report.trace.durationSeconds = 10
    let rows = ThreadRow.rows(of: report, by: .cpu)
    // Nine seconds were the program's build.
    #expect(report.livedSeconds == 1)
    #expect(rows.map(\.cpuShare).sorted() == report.signals.threads.map(\.cpuSeconds).sorted())
    report.phases = []
    #expect(report.livedSeconds == 10)
  }

  @Test func `the scored process has the same figures in the table of processes as elsewhere`() {
    var report = SampleReport.report()
    // What was its driver before counts in its totals.
    report.processes[0].cpuSeconds = 77
    report.processes[0].peakFootprintBytes = 1
    report.processes.append(report.processes[0])
    report.processes[1].pid += 1
    let (own, other) = (report.shownProcesses[0], report.shownProcesses[1])
    #expect(own.cpuSeconds == report.signals.cpu?.totalSeconds)
    #expect(own.peakFootprintBytes == report.signals.memory?.peakFootprintBytes)
    #expect(other.cpuSeconds == 77 && other.peakFootprintBytes == 1)
  }

  @Test func `what is known in part is said to be the least that there was`() {
    var signals = SampleReport.signals()
    signals.network?.missing = "it has UDP sockets, of which nothing is counted"
    let text = flowing(SampleReport.report(signals: signals))
    #expect(text.contains("at least 12.0 kB in 12 sends"), "\(text)")
    signals.disk?.missing = "20 writes more were of files that are not known"
    let disk = flowing(SampleReport.report(signals: signals))
    #expect(disk.contains("written at least "), "\(disk)")
    #expect(disk.contains("syncs at least "), "\(disk)")
    #expect(text.contains("partly known it has UDP sockets"), "\(text)")
  }

  // What was left of other figures seemed to be a wait of a nanosecond.
  @Test func `a wait that is too short to be timed has no length`() {
    var signals = SampleReport.signals()
    signals.mainThread?.blockedByCause = [.unknown: 1e-9]
    let text = flowing(SampleReport.report(signals: signals))
    #expect(text.contains("blocked by unknown under 1 µs"), "\(text)")
  }

  @Test func `a crash is named by its signal`() throws {
    var process = SampleReport.process()
    process.exitStatus = nil
    process.signal = 11
    let report = SampleReport.report(process: process)
    #expect(flowing(report).contains("signal 11 (SIGSEGV)"))
    // Whole, however long it is.
    let crash = ReportNotes.crash(report) { $0 }
    #expect(flowing(report).contains(try #require(crash)))
  }

  @Test func `of many rules that were not measured some are named, and the others counted`() {
    var report = SampleReport.report()
    for index in report.audits.indices.prefix(30) {
      report.audits[index].status = .notMeasured
      report.audits[index].value = nil
    }
    let missing = report.audits.count { $0.status == .notMeasured && $0.value == nil }
    let text = flowing(report)
    #expect(text.contains(" and \(missing - 12) more"), "\(text)")
    #expect(text.contains(report.audits[0].id))
  }

  @Test func `a process of a name that others have is told apart`() throws {
    var report = SampleReport.report()
    #expect(!flowing(report).contains("processes are called"))
    let own = try #require(report.processes.first)
    for index in 1...6 {
      var other = own
      other.pid += index
      other.cpuSeconds = Double(index)
      report.processes.append(other)
    }
    #expect(
      flowing(report).contains(
        "7 processes are called server: this is 100, the others are 106, 105, 104, 103 and 2 more; --process PID"
      ))
  }

  static let hostile = [
    "a\u{1B}[31mred", "line\nbreak", "right\u{202E}left", "bell\u{07}", "zero\u{200B}width",
    String(repeating: "漢字", count: 200), String(decoding: [0x61, 0xFF, 0xFE], as: UTF8.self),
    String(repeating: "x", count: 5000), "", " ", "\u{85}\u{2028}\u{2029}", "e\u{301}\u{301}",
  ]

  @Test(arguments: hostile)
  func `a hostile name cannot act on the terminal nor widen a line`(name: String) {
    var signals = SampleReport.signals()
    signals.mainThread?.threadName = name
    signals.mainThread?.foundBy = name
    signals.mainThread?.hangs[0].stack[0].function = name
    signals.wakeups?.timers[0].thread = name
    signals.network?.bursts[0].remotes = [name]
    signals.disk?.files[0].path = name
    var process = SampleReport.process(name: name)
    process.commandLine = [name]
    var report = SampleReport.report(signals: signals, process: process)
    report.trace.hostname = name
    report.trace.path = name
    report.capture.privilege = name
    for line in lines(report) {
      #expect(Columns.width(line) <= 80, "\(line)")
      for scalar in line.unicodeScalars {
        let category = scalar.properties.generalCategory
        #expect(category != .control && category != .format, "\(line.debugDescription)")
      }
    }
    #expect(!MarkdownReport.render(report).contains("\u{1B}"))
  }

  @Test func `colour repeats what the words say, and only when asked for`() {
    let report = SampleReport.report()
    let plain = TextReport.render(report)
    let colored = TextReport.render(report, options: TextOptions(color: true))
    #expect(!plain.contains("\u{1B}"))
    #expect(
      colored.replacing(/\u{1B}\[[0-9]+m/, with: "").split(separator: "\n").map {
        $0.trimmingSuffix { $0 == " " }
      } == plain.split(separator: "\n").map { $0[...] })
  }
}

extension Substring {
  fileprivate func trimmingSuffix(while matches: (Character) -> Bool) -> Substring {
    var text = self
    while let last = text.last, matches(last) { text.removeLast() }
    return text
  }
}
