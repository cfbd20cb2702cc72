/// A property list that was opened.
package struct PropertyListUse: Sendable, Equatable {
  package var path: String
  /// In bytes.
  package var size: UInt64
  /// Whether it is in binary form; nil where its beginning was not read.
  package var isBinary: Bool?

  /// Makes the value from its parts.
  package init(path: String, size: UInt64, isBinary: Bool?) {
    self.path = path
    self.size = size
    self.isBinary = isBinary
  }
}
