/// Where the core that orders reads samples, a stretch after another.
///
/// What is only named is looked at again: where there is much of that, the file is read where it is mapped.
final class SampleSource {
  /// With more records in a stretch that are looked at again, one for two pages, most of them are mapped anyway.
  private static let mostNamed = StretchGrid.bytes / (2 << 12)

  let grid: StretchGrid
  let window: SampleWindow
  /// The stretch that is read; -1 before the first.
  private(set) var stretch = -1
  private var named = 0
  /// The present stretch is read from a copy.
  private(set) var isCopied = true

  init(_ storage: ByteStorage, _ data: Range<Int>) {
    grid = StretchGrid(data: data)
    window = SampleWindow(storage)
  }

  /// So many records were found that are only named.
  @inline(__always)
  func note(named more: Int) { named &+= more }

  /// Where the present stretch ends.
  var end: Int { grid.range(stretch).upperBound }

  /// Goes on in the stretch of an offset, if that is another one; true then.
  func enter(_ offset: Int) -> Bool {
    let number = grid.number(of: offset)
    guard number != stretch else { return false }
    stretch = number
    let wasCopied = isCopied
    isCopied = named <= Self.mostNamed
    named = 0
    if isCopied, !wasCopied { window.clear() }
    return true
  }

  /// Has in the window what is in the present stretch from an offset on; false where it was there already, as far as there is more.
  func fill(from offset: Int) -> Bool {
    let hadAll =
      offset == window.range.lowerBound || window.range.upperBound == grid.data.upperBound
    if window.range.contains(offset), hadAll { return false }
    isCopied =
      isCopied
      && window.copy(from: offset, stretchEnd: end, dataEnd: grid.data.upperBound)
    if !isCopied { window.map(from: offset, dataEnd: grid.data.upperBound) }
    return true
  }
}
