import TraceModel

/// What the process did before it was ready for events.
package struct LaunchSignal: Sendable, Equatable {
  /// How long it took.
  package var seconds: Double
  /// CPU time of the main thread.
  package var runningSeconds: Double
  /// Time the main thread waited for a CPU.
  package var runnableSeconds: Double
  /// Blocked time of the main thread, by cause.
  package var blockedByCause: [WaitCause: Double]
  /// Bytes that read calls returned, sockets left out; mapped libraries are not among them.
  package var bytesRead: UInt64?
  /// Regular files opened, each counted once.
  package var filesOpened: Int
  /// Some of those files.
  package var files: [String]

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  package init(
    seconds: Double,
    runningSeconds: Double = 0,
    runnableSeconds: Double = 0,
    blockedByCause: [WaitCause: Double] = [:],
    bytesRead: UInt64? = nil,
    filesOpened: Int = 0,
    files: [String] = []
  ) {
    self.seconds = seconds
    self.runningSeconds = runningSeconds
    self.runnableSeconds = runnableSeconds
    self.blockedByCause = blockedByCause
    self.bytesRead = bytesRead
    self.filesOpened = filesOpened
    self.files = files
  }
}
