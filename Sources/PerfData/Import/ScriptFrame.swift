/// A line of a stack in the text of `perf script`: "address function+offset (file)".
struct ScriptFrame: Hashable {
  /// Empty where perf found none.
  var function: String
  var module: String
  /// Of a frame without a name: what perf printed as its address.
  var address: UInt64?
  var isKernel: Bool

  init?(_ line: Substring) {
    let words = line.split(maxSplits: 1, whereSeparator: { $0 == " " || $0 == "\t" })
    guard let first = words.first, first.utf8.count <= 18,
      let address = UInt64(first.hasPrefix("0x") ? first.dropFirst(2) : first, radix: 16)
    else { return nil }
    var rest = words.count > 1 ? words[1] : ""
    while let last = rest.last, last == " " || last == "\t" || last == "\r" { rest.removeLast() }
    var module: Substring = ""
    // The file stands last; names have parentheses of their own.
    if rest.last == ")", let open = rest.lastIndex(of: "(") {
      module = rest[rest.index(after: open)...].dropLast()
      rest = rest[..<open]
    }
    if module == "inlined" { module = "" }
    guard words.count > 1 || !module.isEmpty else { return nil }
    var function = rest
    while function.last == " " { function.removeLast() }
    if let plus = function.lastIndex(of: "+"), function[plus...].hasPrefix("+0x") {
      function = function[..<plus]
    }
    if function == "[unknown]" { function = "" }
    self.function = String(function)
    self.address = function.isEmpty ? address : nil
    isKernel = Self.isKernel(address, module)
    self.module = isKernel ? "[kernel]" : String(module)
  }

  /// The kernel has the upper half of the addresses; where perf printed others, its files tell.
  private static func isKernel(_ address: UInt64, _ module: Substring) -> Bool {
    address >= 1 << 63 && module != "[vsyscall]" || module.hasPrefix("[kernel")
      || module.hasPrefix("[guest.kernel") || module.hasSuffix(".ko") || module.contains("vmlinux")
  }
}
