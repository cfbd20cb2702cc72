import Signals

/// Files as evidence.
enum DiskFiles {
  /// The files with most of something, worst first.
  static func rows(
    _ files: [FileUse], unit: String, by amount: (FileUse) -> Double
  ) -> [Evidence] {
    files.filter { amount($0) > 0 }
      .sorted { (amount($0), $1.path) > (amount($1), $0.path) }.prefix(5).map { file in
        let value = amount(file)
        let what = unit == "bytes" ? Figures.bytes(value) : "\(Figures.fixed(value, 0)) \(unit)"
        return Evidence(
          summary: "\(file.path): \(what)", value: value, unit: unit, path: file.path)
      }
  }
}
