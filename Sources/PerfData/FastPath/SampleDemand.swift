/// What a pass is to make of the samples of one attribute.
public struct SampleDemand: Sendable {
  /// What is handed out of a sample.
  public enum Use: Sendable {
    /// Its place in the file, where there is more to be read.
    case name
    /// Its time, thread and CPU, and what was asked for of its payload.
    case values
    /// Its time, thread and CPU, where the record before it on its CPU did not show already that its thread runs.
    case run
    /// Nothing; its time is noted.
    case count
    /// Nothing, as if it were not there.
    case ignore
  }

  /// What a sample tells of its CPU.
  public enum Tells: Sendable {
    /// Nothing that is followed.
    case nothing
    /// Its thread runs there: `OrderedRecord.isShown` tells whether that was shown before.
    case run
    /// The thread that is the second integer asked for runs there from now on.
    case `switch`
  }

  let use: Use
  /// What is followed of samples that are handed out by their values.
  public var tells = Tells.nothing
  /// Bytes from the record's start to the raw payload's size; 0 where the payload is not looked at.
  private(set) var payload = 0
  /// Three, or none.
  private(set) var fields: [IntegerField] = []
  /// Which returns of system calls are handed out by their places.
  private(set) var named: CallFilter?

  var looksAtPayload: Bool { !fields.isEmpty }

  /// Asks for nothing of the payload.
  public init(_ use: Use) { self.use = use }

  /// Asks for integers of the raw payload, which begins with its size at that many bytes from the record's start.
  public init(payload: Int, _ first: IntegerField, _ second: IntegerField, _ third: IntegerField) {
    use = .values
    self.payload = payload
    fields = [first, second, third]
  }

  /// Asks for the places of those returns of system calls that the filter names; of the others for the number and the
  /// `result`, or for nothing.
  public init(
    payload: Int, number: IntegerField, result: IntegerField, named: CallFilter, others: Use
  ) {
    use = others
    self.payload = payload
    fields = [number, result, result.upperHalf]
    self.named = named
  }
}
