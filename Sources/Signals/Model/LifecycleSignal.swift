/// How long the program took to start and to end.
package struct LifecycleSignal: Sendable, Equatable {
  /// From exec to the first event wait or the ready mark; nil when it was not seen.
  package var launchSeconds: Double?
  /// From the termination signal to the exit; nil without such a signal.
  package var terminationSeconds: Double?
  /// What was taken as the end of the launch, or why there is none.
  package var launchHow: String
  /// Signal that ended the process.
  package var exitSignal: Int?
  /// Termination signal that was delivered (15 or 2), whether or not the exit was seen.
  package var terminationSignal: Int?
  /// Whether it ever had a handler for a termination signal; nil where that was not looked at.
  package var catchesTermination: Bool?
  /// What was done before the program was ready.
  package var launch: LaunchSignal?

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  package init(
    launchSeconds: Double? = nil,
    terminationSeconds: Double? = nil,
    launchHow: String = "",
    exitSignal: Int? = nil,
    terminationSignal: Int? = nil,
    catchesTermination: Bool? = nil,
    launch: LaunchSignal? = nil
  ) {
    self.launchSeconds = launchSeconds
    self.terminationSeconds = terminationSeconds
    self.launchHow = launchHow
    self.exitSignal = exitSignal
    self.terminationSignal = terminationSignal
    self.catchesTermination = catchesTermination
    self.launch = launch
  }
}
