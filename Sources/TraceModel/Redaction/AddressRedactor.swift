#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Replaces internet addresses by those kept for documentation, each always by the same one.
///
/// Loopback, unspecified and multicast addresses stay; private ones become other private ones.
struct AddressRedactor {
  private var replacements: [[UInt8]: [UInt8]] = [:]
  private var counts: [String: Int] = [:]

  /// The replacement of an address of 4 or 16 bytes; anything else comes back as it is.
  mutating func bytes(_ address: [UInt8]) -> [UInt8] {
    if let known = replacements[address] { return known }
    let replacement: [UInt8]
    switch address.count {
    case 4: replacement = version4(address)
    case 16: replacement = version6(address)
    default: return address
    }
    replacements[address] = replacement
    return replacement
  }

  /// The replacement of an address in text, with or without a port; nil when the text is none.
  mutating func text(_ word: String) -> String? {
    let characters = Set("0123456789abcdefABCDEF.:")
    guard word.allSatisfy({ characters.contains($0) }) else { return nil }
    if word.contains("."), !word.hasPrefix(":") {
      let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      if let address = Self.parse(String(parts[0]), AF_INET, 4) {
        let rest = parts.count > 1 ? ":" + parts[1] : ""
        return bytes(address).map(String.init).joined(separator: ".") + rest
      }
    }
    guard word.filter({ $0 == ":" }).count >= 2, word.count > 2,
      let address = Self.parse(word, AF_INET6, 16)
    else { return nil }
    let replacement = bytes(address)
    return replacement == address ? word : Self.format6(replacement)
  }

  private mutating func version4(_ address: [UInt8]) -> [UInt8] {
    switch (address[0], address[1]) {
    case (0, _), (127, _), (224..., _): return address
    case (10, _), (172, 16...31), (192, 168), (100, 64...127), (169, 254):
      let number = next("private")
      return [10, UInt8(number >> 16 & 0xFF), UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)]
    default:
      let number = next("public")
      // The three documentation networks (RFC 5737), then the one for benchmarks (RFC 2544).
      let networks: [[UInt8]] = [[192, 0, 2], [198, 51, 100], [203, 0, 113]]
      if number <= 254 * networks.count {
        return networks[(number - 1) / 254] + [UInt8((number - 1) % 254 + 1)]
      }
      return [198, 18 | UInt8(number >> 16 & 1), UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)]
    }
  }

  private mutating func version6(_ address: [UInt8]) -> [UInt8] {
    let head = Array(address[..<12])
    let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
    if head == mapped { return mapped + bytes(Array(address[12...])) }
    // Unspecified and loopback; multicast.
    if head.allSatisfy({ $0 == 0 }), address[12...14].allSatisfy({ $0 == 0 }), address[15] < 2 {
      return address
    }
    if address[0] == 0xFF { return address }
    let prefix: [UInt8]
    if address[0] == 0xFE, address[1] & 0xC0 == 0x80 {
      prefix = [0xFE, 0x80, 0, 0]
    } else if address[0] & 0xFE == 0xFC {
      prefix = [0xFD, 0, 0, 0]
    } else {
      // The documentation prefix (RFC 3849).
      prefix = [0x20, 0x01, 0x0D, 0xB8]
    }
    let number = next("\(prefix)")
    let zeros = [UInt8](repeating: 0, count: 9)
    return prefix + zeros
      + [UInt8(number >> 16 & 0xFF), UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)]
  }

  private mutating func next(_ class: String) -> Int {
    counts[`class`, default: 0] += 1
    return counts[`class`] ?? 1
  }

  private static func parse(_ text: String, _ family: Int32, _ size: Int) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: size)
    let result = buffer.withUnsafeMutableBytes { inet_pton(family, text, $0.baseAddress) }
    return result == 1 ? buffer : nil
  }

  private static func format6(_ address: [UInt8]) -> String {
    var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let done = address.withUnsafeBytes { source in
      inet_ntop(AF_INET6, source.baseAddress, &buffer, socklen_t(buffer.count)) != nil
    }
    guard done else { return "::" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
