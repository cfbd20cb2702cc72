import Foundation
import Synchronization

/// Something that may come at any time.
final class News: Sendable {
  private let arrived = Atomic(false)

  func arrive() { arrived.store(true, ordering: .releasing) }

  /// Looks every second whether it has come.
  @inline(never) func wait() {
    while !arrived.load(ordering: .acquiring) {
      sleep(1)
    }
  }
}
