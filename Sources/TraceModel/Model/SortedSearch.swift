extension RandomAccessCollection where Index == Int {
  /// The first index whose element fulfils what all after it do too; the end where none does.
  func partitioningIndex(_ isInSecond: (Element) -> Bool) -> Int {
    var low = startIndex
    var high = endIndex
    while low < high {
      let middle = low + (high - low) / 2
      if isInSecond(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
