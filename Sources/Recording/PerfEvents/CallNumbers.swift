/// Numbers of system calls, of which it is asked for each call whether it is among them: by a table, since to look into
/// a set takes longer than all else that is done for most calls.
struct CallNumbers: ExpressibleByArrayLiteral {
  let numbers: Set<Int>
  private let table: [Bool]

  init(_ numbers: some Sequence<Int>) {
    self.numbers = Set(numbers)
    var table = [Bool](repeating: false, count: (self.numbers.max() ?? -1) + 1)
    for number in self.numbers { table[number] = true }
    self.table = table
  }

  init(arrayLiteral numbers: Int...) { self.init(numbers) }

  func contains(_ number: some BinaryInteger) -> Bool {
    guard number >= 0, number < table.count else { return false }
    return table[Int(number)]
  }
}
