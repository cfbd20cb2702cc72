import PerfData
import Quantities

/// What a file held when the recorder read it after a process had closed it.
public struct ContentReading: Sendable {
  public var time: Timestamp
  public var pid: Int32
  public var event: ContentEvent
}
