import Processors
import Rules
import Signals

/// What a report needs whatever the trace holds.
enum Preparation {
  /// Begins with it if the command wants it: a recording must not be disturbed.
  static func begin(_ arguments: ArraySlice<String>) {
    guard arguments.first == ReportCommand.configuration.commandName else { return }
    // On another core while this one reads the command line.
    NeighbourThread.begin {
      RadioProfileFile.prepare()
      EnergyFile.prepare()
      ScoringFile.prepare()
    }
  }
}
