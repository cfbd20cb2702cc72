import Glibc
import Reporting

/// The first screen of `lull top` where no process was named: which one to look at.
struct ProcessChoice {
  let terminal: Terminal
  let interval: Double

  /// The process that was chosen; nil where it was ended instead, with the signal that did.
  func run() -> (pid: Int32?, signal: Int32?) {
    var processes = SwiftProcesses()
    var shown: [ProcessFigures] = []
    var selected: Int32?
    // From the first move on nothing changes its place under the hands.
    var isMoved = false
    var due = ContinuousClock.now
    // Rates are there from the second look on, which is not waited for as long as those after.
    var looks = 0
    while true {
      if let number = Interruption.signal { return (nil, number) }
      if ContinuousClock.now >= due {
        let found = processes.look()
        shown = isMoved ? Self.inPlace(found, as: shown) : found
        looks += 1
        due = .now + .seconds(looks == 1 ? min(interval, 0.5) : interval)
      }
      let size = terminal.size
      terminal.show(
        ProcessList.render(
          shown, selected: Self.place(of: selected, in: shown), width: size.width,
          height: size.height,
          color: Console.isColored(STDOUT_FILENO)))
      for key in terminal.keys(within: 200) {
        let place = Self.place(of: selected, in: shown)
        switch key {
        case .letter("q"): return (nil, nil)
        case .letter("\n"), .letter("\r"):
          if shown.indices.contains(place) { return (shown[place].pid, nil) }
        case .down: selected = shown.dropFirst(place + 1).first?.pid ?? selected
        case .up: selected = place > 0 ? shown[place - 1].pid : selected
        default: break
        }
        isMoved = true
      }
    }
  }

  private static func place(of pid: Int32?, in shown: [ProcessFigures]) -> Int {
    shown.firstIndex { $0.pid == pid } ?? 0
  }

  /// Those that were there before in their order, what is new behind them.
  private static func inPlace(
    _ found: [ProcessFigures], as before: [ProcessFigures]
  ) -> [ProcessFigures] {
    let places = Dictionary(uniqueKeysWithValues: before.enumerated().map { ($1.pid, $0) })
    return found.sorted {
      (places[$0.pid] ?? .max, $0.pid) < (places[$1.pid] ?? .max, $1.pid)
    }
  }

  /// A table for logs, of half a second.
  static func plain() -> String {
    var processes = SwiftProcesses()
    _ = processes.look()
    usleep(500_000)
    return ProcessList.plain(processes.look())
  }
}
