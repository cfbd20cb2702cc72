import Glibc
import Quantities
import Synchronization

/// Names of the kernel's functions, read from /proc/kallsyms when the first is asked for.
package final class KernelSymbols: Sendable {
  private struct Table {
    var starts: [UInt64] = []
    var names: [(offset: UInt32, length: UInt16)] = []
    var text: [UInt8] = []
    var hidden: String?
  }

  private let path: String
  private let table = Mutex<Table?>(nil)

  /// Names from the running kernel, or from a file of the same form.
  package init(path: String = "/proc/kallsyms") {
    self.path = path
  }

  /// The function that holds an address, with its first address.
  package func name(for address: UInt64) -> (start: UInt64, name: String)? {
    table.withLock { table in
      let loaded = Self.loaded(&table, path)
      guard let index = Self.index(of: address, in: loaded.starts) else { return nil }
      let name = loaded.names[index]
      let first = Int(name.offset)
      let bytes = loaded.text[first..<(first + Int(name.length))]
      return (loaded.starts[index], String(decoding: bytes, as: UTF8.self))
    }
  }

  /// Why there are no names, or nil when there are.
  package var unavailableReason: String? {
    table.withLock { Self.loaded(&$0, path).hidden }
  }

  /// How many functions are known.
  package var count: Int {
    table.withLock { Self.loaded(&$0, path).starts.count }
  }

  private static func loaded(_ table: inout Table?, _ path: String) -> Table {
    if let table { return table }
    let fresh = load(path)
    table = fresh
    return fresh
  }

  private static func load(_ path: String) -> Table {
    var result = Table()
    guard let bytes = KernelFile.bytes(path) else {
      result.hidden = "\(path) cannot be read: \(KernelFile.errorText(errno))"
      return result
    }
    let sawZero = parse(bytes, into: &result)
    result.text = bytes
    guard result.starts.isEmpty else { return result }
    if sawZero {
      let level = KernelFile.integer("/proc/sys/kernel/kptr_restrict")
      result.hidden =
        "the kernel hides its addresses from those without CAP_SYSLOG"
        + (level.map { $0 >= 2 ? ", and since kernel.kptr_restrict is \($0), from all" : "" }
          ?? "")
    } else {
      result.hidden = "\(path) names no functions: the kernel was built without its symbols"
    }
    return result
  }

  /// Reads `address type name [module]` lines; gives whether all addresses were zero.
  private static func parse(_ bytes: [UInt8], into result: inout Table) -> Bool {
    var isSorted = true
    var sawZero = false
    bytes.withUnsafeBufferPointer { bytes in
      let end = bytes.count
      result.starts.reserveCapacity(end / 64)
      result.names.reserveCapacity(end / 64)
      var position = 0
      while position < end {
        var address: UInt64 = 0
        while position < end, let digit = hexadecimal(bytes[position]) {
          address = address << 4 | UInt64(digit)
          position += 1
        }
        // " T name": t, T, w and W are code.
        if position + 3 < end, bytes[position] == 32, bytes[position + 2] == 32 {
          let type = bytes[position + 1] | 0x20
          if type == UInt8(ascii: "t") || type == UInt8(ascii: "w") {
            let start = position + 3
            var last = start
            while last < end, bytes[last] > 32 { last += 1 }
            if address == 0 {
              sawZero = true
            } else if last > start, last - start <= Int(UInt16.max), start <= Int(UInt32.max) {
              if let previous = result.starts.last, previous > address { isSorted = false }
              result.starts.append(address)
              result.names.append((UInt32(start), UInt16(last - start)))
            }
            position = last
          }
        }
        while position < end, bytes[position] != 10 { position += 1 }
        position += 1
      }
    }
    if !isSorted {
      // Modules follow the kernel proper in no order.
      let order = result.starts.indices.sorted {
        (result.starts[$0], $0) < (result.starts[$1], $1)
      }
      result.starts = order.map { [starts = result.starts] in starts[$0] }
      result.names = order.map { [names = result.names] in names[$0] }
    }
    return sawZero
  }

  private static func hexadecimal(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 48...57: byte - 48
    case 97...102: byte - 87
    case 65...70: byte - 55
    default: nil
    }
  }

  /// The last start not above the address; of several names at one start, the last.
  private static func index(of address: UInt64, in starts: [UInt64]) -> Int? {
    // User addresses have no kernel function, nor has what lies far beyond the last one.
    guard let first = starts.first, let last = starts.last, address >= first,
      address - first < 1 << 40, address <= last || address - last < 1 << 20
    else { return nil }
    return starts.partitioningIndex { $0 > address } - 1
  }
}
