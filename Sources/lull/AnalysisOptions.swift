import ArgumentParser
import Reporting
import Rules
import Signals
import TraceModel

/// The options that `record` and `report` share: what is measured from a trace.
struct AnalysisOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The process to score, instead of the one that the recording is about.",
      valueName: "name|pid"))
  var process: String?

  @Option(
    help: ArgumentHelp(
      "The radio that traffic is modelled on, by default lte-2012: a profile of `lull energy list`, or a TOML file.",
      valueName: "profile"))
  var radio: String?

  @Flag(help: "Count traffic on the loopback interface too.")
  var radioLoopback = false

  @Flag(help: "Show functions with their modules and types.")
  var fullNames = false

  @OptionGroup var prices: EnergyOptions

  @OptionGroup var window: WindowOptions

  @Option(
    help: ArgumentHelp(
      "A TOML file with weights, curves and limits to put over Lull's own.", valueName: "file"))
  var scoring: String?

  @Option(
    help: ArgumentHelp(
      "The battery that savings are shares of, in watt-hours; 12.68 by default, a phone's.",
      valueName: "Wh"))
  var battery: Double?

  @Option(
    help: ArgumentHelp(
      "Take a signal for a mark: USR1=background says that SIGUSR1 begins the background phase.",
      valueName: "signal=mark"),
    transform: SignalMark.init(argument:))
  var markSignal: [SignalMark] = []

  /// What to measure with; throws where the radio's profile is unknown.
  func measurement() throws -> MeasurementOptions {
    var options = MeasurementOptions(
      isRadioSaid: radio != nil, includeLoopback: radioLoopback, energy: try prices.tables(),
      machine: prices.machine, signalMarks: signalMarks)
    guard let radio else { return options }
    guard radio.contains("/") || radio.hasSuffix(".toml") else {
      _ = try RadioProfileFile.profile(named: radio, userFile: nil)
      options.radioProfile = radio
      return options
    }
    guard let first = try RadioProfileFile.read(path: radio).first else {
      throw Failure(
        status: Exit.usage, message: "\(radio) holds no radio profile; add one, or name another")
    }
    options.radioProfile = first.name
    options.radioProfileFile = radio
    return options
  }

  private var signalMarks: [Int: String] {
    Dictionary(markSignal.map { ($0.number, $0.name) }) { $1 }
  }

  /// The scoring to use; throws where the user's file is wrong.
  func scoringConfiguration() throws -> ScoringConfiguration {
    do { return try ScoringFile.configuration(path: scoring) } catch {
      throw Failure(status: Exit.usage, message: error.description)
    }
  }

  private func statedBattery() throws -> Battery {
    guard let battery else { return .standard }
    guard battery > 0, battery.isFinite else {
      throw Failure(status: Exit.usage, message: "--battery must be above 0 watt-hours")
    }
    return Battery(wattHours: battery, name: "a battery of \(battery) Wh")
  }

  /// The trace, or the window of it that was asked for.
  func trace(at paths: [String]) throws -> Trace {
    var window = window.window
    if let finding = self.window.around {
      window = try WindowOptions.window(
        around: finding, in: analysis(of: paths, capture: nil, in: nil).report)
    }
    return try Trace.load(
      series: paths,
      options: TraceOptions(process: process, fullNames: fullNames, window: window))
  }

  /// What was measured in a trace.
  func signals(of trace: Trace) throws -> SignalSet {
    try Measurement.measure(trace, options: measurement())
  }

  /// The report of a trace.
  func report(on path: String) throws -> Report { try analysis(of: [path]).report }

  /// The report of a trace, which may be a series of files, and the trace laid out over time.
  ///
  /// `capture` is of the same run's packets. `whole` is the trace where it was read already, as it is without options.
  func analysis(
    of paths: [String], capture: String? = nil, whole: Trace? = nil
  ) throws -> Analysis {
    guard let finding = window.around else {
      return try analysis(of: paths, capture: capture, whole: whole, in: window.window)
    }
    let whole = try analysis(of: paths, capture: capture, in: nil).report
    return try analysis(
      of: paths, capture: capture, in: WindowOptions.window(around: finding, in: whole))
  }

  private func analysis(
    of paths: [String], capture: String?, whole: Trace? = nil, in window: TraceWindow?
  ) throws -> Analysis {
    let options = try measurement()
    let configuration = try scoringConfiguration()
    let isWhole = process == nil && !fullNames && window == nil
    var trace =
      try (isWhole ? whole : nil)
      ?? Trace.load(
        series: paths,
        options: TraceOptions(process: process, fullNames: fullNames, window: window))
    if let capture { try trace.merge(capturePath: capture) }
    let signals = try Measurement.measure(trace, options: options)
    var report = ReportBuilder.build(
      trace: trace, signals: signals,
      evaluation: Evaluator.evaluate(
        signals, configuration: configuration, battery: try statedBattery()),
      generatorVersion: Version.text)
    if paths.contains(where: StandardInput.isKept) { report.trace.path = "standard input" }
    return Analysis(report: report) { [trace] in
      try Timeline.measure(trace, signals: signals, options: options)
    }
  }
}

/// What becomes of a trace: the report, and what only some formats want.
struct Analysis {
  var report: Report
  /// Lays the trace out over time.
  let timeline: () throws -> Timeline

  /// The report in a form; `color` is for text.
  func text(as format: ReportFormat, color: Bool) throws -> String {
    switch format {
    case .text: TextReport.render(report, options: TextOptions(color: color))
    case .html: try HTMLReport.render(report, timeline: timeline())
    case .json: try JSONReport.render(report)
    case .markdown: MarkdownReport.render(report)
    }
  }
}
