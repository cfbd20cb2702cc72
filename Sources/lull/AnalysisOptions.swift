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
      "The radio that traffic is modelled on: lte-2012, lte-aro, 3g-aro, wifi-aro, or a TOML file.",
      valueName: "profile"))
  var radio = RadioProfile.defaultName

  @Flag(help: "Count traffic on the loopback interface too.")
  var radioLoopback = false

  /// What to measure with; throws where the radio's profile is unknown.
  func measurement() throws -> MeasurementOptions {
    guard radio.contains("/") || radio.hasSuffix(".toml") else {
      _ = try RadioProfileFile.profile(named: radio, userFile: nil)
      return MeasurementOptions(radioProfile: radio, includeLoopback: radioLoopback)
    }
    guard let first = try RadioProfileFile.read(path: radio).first else {
      throw Failure(
        status: Exit.usage, message: "\(radio) holds no radio profile; add one, or name another")
    }
    return MeasurementOptions(
      radioProfile: first.name, radioProfileFile: radio, includeLoopback: radioLoopback)
  }

  /// The report of a trace.
  func report(on path: String) throws -> Report {
    let options = try measurement()
    let trace = try Trace.load(path: path, options: TraceOptions(process: process))
    let signals = try Measurement.measure(trace, options: options)
    return ReportBuilder.build(
      trace: trace, signals: signals, evaluation: Evaluator.evaluate(signals),
      generatorVersion: Version.text)
  }
}
