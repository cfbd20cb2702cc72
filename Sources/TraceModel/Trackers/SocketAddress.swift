/// Socket addresses as text.
enum SocketAddress {
  /// A tracepoint's address bytes and port: "127.0.0.1:80", "[::1]:80".
  static func text(bytes: [UInt8], port: Int64) -> String {
    if bytes.count == 4 { return "\(ipv4(bytes)):\(port)" }
    guard bytes.count == 16 else { return "unknown" }
    if isMapped(bytes) { return "\(ipv4(Array(bytes[12...]))):\(port)" }
    let groups = (0..<8).map { Int(bytes[2 * $0]) << 8 | Int(bytes[2 * $0 + 1]) }
    return "[\(compressed(groups))]:\(port)"
  }

  static func isLoopback(bytes: [UInt8]) -> Bool {
    if bytes.count == 4 { return bytes[0] == 127 }
    guard bytes.count == 16 else { return false }
    if isMapped(bytes) { return bytes[12] == 127 }
    return bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
  }

  /// ::ffff:a.b.c.d, RFC 4291 section 2.5.5.2.
  private static func isMapped(_ bytes: [UInt8]) -> Bool {
    bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xff && bytes[11] == 0xff
  }

  private static func ipv4(_ bytes: [UInt8]) -> String {
    bytes.map { String($0) }.joined(separator: ".")
  }

  /// The longest run of zero groups becomes "::", RFC 5952 section 4.2.
  private static func compressed(_ groups: [Int]) -> String {
    var best = (start: 0, count: 0)
    var start = 0
    while start < groups.count {
      let count = groups[start...].prefix { $0 == 0 }.count
      if count > best.count { best = (start, count) }
      start += max(count, 1)
    }
    func hex(_ part: ArraySlice<Int>) -> String {
      part.map { String($0, radix: 16) }.joined(separator: ":")
    }
    guard best.count > 1 else { return hex(groups[...]) }
    return hex(groups[..<best.start]) + "::" + hex(groups[(best.start + best.count)...])
  }
}
