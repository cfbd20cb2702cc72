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
    var due = ContinuousClock.now
    // Rates are there from the second look on, which is not waited for as long as those after.
    var looks = 0
    while true {
      if let number = Interruption.signal { return (nil, number) }
      if ContinuousClock.now >= due {
        shown = processes.look()
        looks += 1
        due = .now + .seconds(looks == 1 ? min(interval, 0.5) : interval)
      }
      let place = shown.firstIndex { $0.pid == selected } ?? 0
      let size = terminal.size
      terminal.show(
        ProcessList.render(
          shown, selected: place, width: size.width, height: size.height,
          color: Console.isColored(STDOUT_FILENO)))
      for key in terminal.keys(within: 200) {
        switch key {
        case .letter("q"): return (nil, nil)
        case .letter("\n"), .letter("\r"):
          if shown.indices.contains(place) { return (shown[place].pid, nil) }
        case .down: selected = shown.dropFirst(place + 1).first?.pid ?? selected
        case .up: selected = place > 0 ? shown[place - 1].pid : selected
        default: break
        }
      }
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
