/// Why the trace was written while its recording went on.
package struct TriggerSection: Codable, Sendable, Equatable {
  /// hang, footprint, signal or asked.
  package var kind: String
  /// The condition as it was asked for.
  package var condition: String
  /// When it began, in seconds from the trace's start.
  package var time: Double
  /// How long it lasted, or had lasted when it was written.
  package var durationSeconds: Double
  /// Whether it had not ended then.
  package var isGoingOn: Bool
  /// The process that hung, or whose footprint it was.
  @Nullable package var pid: Int?
  @Nullable package var footprintBytes: UInt64?
  /// The function to blame for a hang.
  @Nullable package var function: String?
  /// Where most of a hang was spent, innermost frame first.
  package var stack: [ReportFrame]
  /// Seconds that the recorder was to keep, or that were asked for.
  package var keptSeconds: Double
}
