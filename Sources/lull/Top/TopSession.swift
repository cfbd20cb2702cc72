import Glibc
import Quantities
import Reporting

/// The loop of `lull top`: look, show, wait for keys.
struct TopSession {
  enum End {
    case asked, processEnded
    case signal(Int32)
  }

  let recording: LiveRecording
  var terminal: Terminal?
  let interval: Double
  let duration: Double?
  private var view: LiveView?
  /// Seconds between looks before there is something to show.
  private static let firstLooks = 0.25
  private var order = ThreadRow.Order.cpu
  /// The thread that is looked at, wherever its row is.
  private var selected: Int?
  private var isFrozen = false
  private var message: String?

  init(
    recording: LiveRecording, terminal: Terminal?, interval: Double, duration: Double?
  ) {
    self.recording = recording
    self.terminal = terminal
    self.interval = interval
    self.duration = duration
  }

  mutating func run() throws -> End {
    let began = ContinuousClock.now
    var due = began
    var rows = 0
    terminal?.show("recording begins; the first figures are of its first second")
    while true {
      if let number = Interruption.signal { return .signal(number) }
      let now = ContinuousClock.now
      if let duration, now - began >= .seconds(duration) { return .asked }
      if now >= due {
        if !recording.isRunning { return .processEnded }
        try recording.removeOld()
        let used = Self.cpuSeconds()
        if !isFrozen, let found = try recording.view(moments: interval) {
          view = found
          if terminal == nil { print(found, &rows) }
        }
        // The first figures are shown as soon as there are any.
        let interval = view == nil ? min(interval, Self.firstLooks) : interval
        due =
          now
          + .seconds(
            LookPace.seconds(interval: interval, cpuSeconds: Self.cpuSeconds() - used))
      }
      draw()
      let left = max(.zero, due - ContinuousClock.now).components
      let milliseconds = left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000
      let wait = Int32(clamping: min(max(milliseconds, 1), 500))
      guard let keys = terminal?.keys(within: wait) else {
        usleep(useconds_t(wait) * 1000)
        continue
      }
      for key in keys where answer(key) { return .asked }
    }
  }

  private func draw() {
    guard let terminal, var view else { return }
    view.order = order
    view.selected = row(in: view)
    view.isFrozen = isFrozen
    view.message = message
    let size = terminal.size
    terminal.show(
      LiveScreen.render(
        view, width: size.width, height: size.height, color: Console.isColored(STDOUT_FILENO)))
  }

  /// The row of the thread that is looked at: rows change their places.
  private func row(in view: LiveView) -> Int? {
    selected.flatMap { tid in view.threads.firstIndex { $0.tid == tid } }
  }

  private mutating func select(_ choose: (_ row: Int?) -> Int?) {
    guard var view else { return }
    view.order = order
    let threads = view.threads
    let row = choose(row(in: view))
    selected = row.flatMap { threads.indices.contains($0) ? threads[$0].tid : threads.last?.tid }
  }

  private func print(_ view: LiveView, _ rows: inout Int) {
    if rows % 20 == 0 { Console.output(LiveRows.header + "\n") }
    rows += 1
    Console.output(LiveRows.row(view, time: Self.clock()) + "\n")
  }

  /// True where it is the end.
  private mutating func answer(_ key: Terminal.Key) -> Bool {
    message = nil
    switch key {
    case .letter("q"): return true
    case .letter("s"):
      let all = ThreadRow.Order.allCases
      order = all[((all.firstIndex(of: order) ?? 0) + 1) % all.count]
    case .letter(" "): isFrozen.toggle()
    case .letter("w"):
      do {
        let (path, seconds) = try recording.write()
        message = "the last \(Figures.seconds(seconds)) written to \(path)"
      } catch {
        message = Exit.failure(of: error)?.message ?? "\(error)"
      }
    case .down: select { ($0 ?? -1) + 1 }
    case .up: select { row in row.flatMap { $0 > 0 ? $0 - 1 : nil } }
    default: break
    }
    return false
  }

  /// CPU time of this process so far.
  private static func cpuSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private static func clock() -> String {
    var now = time(nil)
    var local = tm()
    localtime_r(&now, &local)
    var buffer = [CChar](repeating: 0, count: 32)
    strftime(&buffer, buffer.count, "%H:%M:%S", &local)
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
