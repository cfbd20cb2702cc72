extension RandomAccessCollection {
  /// The first index whose element fulfils what all after it do too; the end where none does.
  ///
  /// Halves what is left to search. Inlinable, since readers of records and of symbols call it for each of them.
  @inlinable
  public func partitioningIndex(_ isInSecond: (Element) throws -> Bool) rethrows -> Index {
    var low = startIndex
    var count = self.count
    while count > 0 {
      let half = count / 2
      let middle = index(low, offsetBy: half)
      if try isInSecond(self[middle]) {
        count = half
      } else {
        low = index(after: middle)
        count -= half + 1
      }
    }
    return low
  }
}
