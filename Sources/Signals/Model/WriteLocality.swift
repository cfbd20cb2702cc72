/// How many blocks of storage writes touched, and how few would have held what they changed.
package struct WriteLocality: Sendable, Equatable {
  /// Spells of writes to one file, and rewrites whose content was compared.
  package var spells: Int
  /// Blocks of 4 KiB that were touched.
  package var touchedBlocks: Int
  /// Blocks that the changed bytes would fill if they stood together.
  package var neededBlocks: Int
  /// The files with most blocks beyond those, most first.
  package var files: [File]

  /// One file's part of it.
  package struct File: Sendable, Equatable {
    package var path: String
    package var touchedBlocks: Int
    package var neededBlocks: Int

    /// Makes the value from its parts.
    package init(path: String, touchedBlocks: Int, neededBlocks: Int) {
      self.path = path
      self.touchedBlocks = touchedBlocks
      self.neededBlocks = neededBlocks
    }
  }

  /// Makes the value from its parts; what is left out is zero or empty.
  package init(
    spells: Int = 0, touchedBlocks: Int = 0, neededBlocks: Int = 0, files: [File] = []
  ) {
    self.spells = spells
    self.touchedBlocks = touchedBlocks
    self.neededBlocks = neededBlocks
    self.files = files
  }
}
