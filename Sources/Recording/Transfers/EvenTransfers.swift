/// Transfers that were added up, as equal ones: so many of two sizes, whose sum is exact.
enum EvenTransfers {
  static func of(
    count: UInt64, bytes: UInt64
  ) -> [(bytes: UInt64, count: UInt64)] {
    guard count > 0 else { return [] }
    let (each, larger) = bytes.quotientAndRemainder(dividingBy: count)
    return [(each, count - larger), (each + 1, larger)].filter { $0.1 > 0 }
  }
}
