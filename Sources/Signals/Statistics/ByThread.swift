/// Values by thread id, found without hashing for the threads of late.
struct ByThread<Value> {
  private var places: [Int32: Int] = [:]
  private(set) var tids: [Int32] = []
  /// In the order in which the threads came.
  private(set) var values: [Value] = []
  /// By the lowest bits of the id, the place of the last thread with these.
  private var recent = [Int](repeating: -1, count: 256)

  /// The thread's value, which begins as `initial`.
  subscript(tid: Int32, default initial: @autoclosure () -> Value) -> Value {
    get { places[tid].map { values[$0] } ?? initial() }
    _modify {
      let place = place(of: tid) ?? insert(tid, initial())
      recent[Int(tid & 255)] = place
      yield &values[place]
    }
  }

  /// Threads and values by their ids.
  var sorted: [(key: Int32, value: Value)] {
    zip(tids, values).map { (key: $0, value: $1) }.sorted { $0.key < $1.key }
  }

  @inline(__always)
  private func place(of tid: Int32) -> Int? {
    let place = recent[Int(tid & 255)]
    return place >= 0 && tids[place] == tid ? place : places[tid]
  }

  private mutating func insert(_ tid: Int32, _ value: Value) -> Int {
    places[tid] = values.count
    tids.append(tid)
    values.append(value)
    return values.count - 1
  }
}
