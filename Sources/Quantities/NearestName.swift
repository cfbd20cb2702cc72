/// The name that was probably meant.
package enum NearestName {
  /// The known name with the fewest letters to change; nil when none is near.
  package static func of(_ name: String, among known: some Sequence<String>) -> String? {
    let wanted = name.lowercased()
    let distances = known.map { (name: $0, distance: distance(wanted, $0.lowercased())) }
    let best = distances.min { ($0.distance, $0.name) < ($1.distance, $1.name) }
    guard let best, best.distance <= max(2, name.count * 2 / 5) else { return nil }
    return best.name
  }

  /// Words to end an error with: the nearest name, or all of them where they are few.
  package static func hint(
    _ name: String, among known: some Sequence<String>, atMost most: Int = 12
  ) -> String {
    if let near = of(name, among: known) { return "did you mean “\(near)”?" }
    let names = known.sorted()
    if names.isEmpty { return "there is none" }
    let shown = names.prefix(most).joined(separator: ", ")
    return "there are \(shown)" + (names.count > most ? " and \(names.count - most) more" : "")
  }

  /// The fewest letters to insert, delete, replace or swap with a neighbour.
  package static func distance(_ left: String, _ right: String) -> Int {
    let (a, b) = (Array(left.unicodeScalars), Array(right.unicodeScalars))
    guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
    var before = [Int](repeating: 0, count: b.count + 1)
    var last = Array(0...b.count)
    for i in 1...a.count {
      var row = [i] + [Int](repeating: 0, count: b.count)
      for j in 1...b.count {
        let cost = a[i - 1] == b[j - 1] ? 0 : 1
        row[j] = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + cost)
        if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
          row[j] = min(row[j], before[j - 2] + 1)
        }
      }
      (before, last) = (last, row)
    }
    return last[b.count]
  }
}
