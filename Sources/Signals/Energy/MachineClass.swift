/// What sort of machine a program runs on, by which it is told what its work costs.
package enum MachineClass: String, Sendable, CaseIterable {
  /// A telephone or tablet.
  case phone
  /// A small computer on a board.
  case board
  case laptop
  case server
}

/// What a machine stores files on.
package enum StorageKind: String, Sendable, CaseIterable {
  /// Flash memory on the board: eMMC or an SD card.
  case emmc
  /// Flash memory behind a controller of its own: SATA or NVMe.
  case ssd
  /// A disk that turns.
  case magnetic
}
