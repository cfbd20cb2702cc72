/// What is known by a slot's number, of which there are few, each asked for with each record.
struct SlotTable<Value> {
  private var entries: [Value?] = []

  subscript(slot: Int) -> Value? {
    get { entries.indices.contains(slot) ? entries[slot] : nil }
    set {
      while newValue != nil, entries.count <= slot { entries.append(nil) }
      if slot < entries.count { entries[slot] = newValue }
    }
  }

  var values: [Value] { entries.compactMap(\.self) }

  mutating func removeValue(at slot: Int) -> Value? {
    defer { self[slot] = nil }
    return self[slot]
  }

  func mapValues<Other>(_ body: (Value) -> Other) -> SlotTable<Other> {
    var table = SlotTable<Other>()
    table.entries = entries.map { $0.map(body) }
    return table
  }
}
