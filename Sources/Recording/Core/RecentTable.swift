/// What is known by keys that come for days: of more than there is room for what came longest ago is forgotten.
///
/// There are two halves. As the newer one is full it becomes the older one, and what that held is forgotten.
struct RecentTable<Key: Hashable, Value> {
  private var newer: [Key: Value] = [:]
  private var older: [Key: Value] = [:]
  private let most: Int

  /// For at most twice as many entries.
  init(most: Int) { self.most = most }

  subscript(key: Key) -> Value? {
    get { newer[key] ?? older[key] }
    set {
      if newValue == nil {
        older[key] = nil
      } else if newer.count >= most, newer[key] == nil {
        (older, newer) = (newer, [:])
      }
      newer[key] = newValue
    }
  }

  /// All that is not forgotten.
  var entries: [Key: Value] { older.merging(newer) { $1 } }
}
