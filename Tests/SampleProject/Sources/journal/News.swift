import Dispatch

/// Something that may come at any time.
final class News: Sendable {
  private let arrived = DispatchSemaphore(value: 0)

  func arrive() { arrived.signal() }

  /// Waits until it is told.
  func wait() { arrived.wait() }
}
