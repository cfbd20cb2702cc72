import Quantities

/// SHA-256 (FIPS 180-4), by which a content security policy names the one script and style it allows.
enum ContentHash {
  /// The policy's source for a script or style with this text, such as `sha256-…`.
  static func source(_ text: String) -> String {
    "sha256-" + base64(sha256(Array(text.utf8)))
  }

  static func sha256(_ message: [UInt8]) -> [UInt8] {
    var state: [UInt32] = roots(of: primes.prefix(8), cube: false)
    var padded = message + [0x80]
    while padded.count % 64 != 56 { padded.append(0) }
    let bits = UInt64(message.count) * 8
    for shift in stride(from: 56, through: 0, by: -8) {
      padded.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift)))
    }
    for block in stride(from: 0, to: padded.count, by: 64) {
      mix(padded[block..<block + 64], into: &state)
    }
    return state.flatMap { word in
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
    }
  }

  private static let primes: [Int] = (2...311).filter { number in
    !(2..<number).contains { number.isMultiple(of: $0) }
  }

  private static let constants: [UInt32] = roots(of: primes.prefix(64), cube: true)

  /// The first 32 bits of the fractions of square or cube roots, in whole numbers.
  private static func roots(of primes: ArraySlice<Int>, cube: Bool) -> [UInt32] {
    primes.map { prime in
      // The largest x with (x / 2^32)^n <= prime.
      let candidates: Range<UInt64> = 1..<1 << 37
      let above = candidates.partitioningIndex { !isAtMost($0, prime, cube: cube) }
      return UInt32(truncatingIfNeeded: above - 1)
    }
  }

  private static func isAtMost(_ root: UInt64, _ prime: Int, cube: Bool) -> Bool {
    // A 256-bit product is not at hand, so the cube is compared by x^2 <= prime * 2^96 / x.
    let square = root.multipliedFullWidth(by: root)
    if !cube {
      return square.high < UInt64(prime) || (square.high, square.low) == (UInt64(prime), 0)
    }
    let bound = UInt64(prime) << 32
    guard root > 0 else { return true }
    // prime * 2^96 / root, in two steps of long division.
    let first = root.dividingFullWidth((bound % root, 0))
    let high = bound / root
    return (square.high, square.low) <= (high, first.quotient)
  }

  private static func mix(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
    var words: [UInt32] = stride(from: block.startIndex, to: block.endIndex, by: 4).map { index in
      block[index..<index + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
    func rotated(_ word: UInt32, _ by: UInt32) -> UInt32 { word >> by | word << (32 - by) }
    for index in 16..<64 {
      let early = words[index - 15]
      let late = words[index - 2]
      let first = rotated(early, 7) ^ rotated(early, 18) ^ early >> 3
      let second = rotated(late, 17) ^ rotated(late, 19) ^ late >> 10
      words.append(words[index - 16] &+ first &+ words[index - 7] &+ second)
    }
    var work = state
    for index in 0..<64 {
      let e = work[4]
      let sum1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
      let choice = e & work[5] ^ ~e & work[6]
      let first = work[7] &+ sum1 &+ choice &+ constants[index] &+ words[index]
      let a = work[0]
      let sum0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
      let majority = a & work[1] ^ a & work[2] ^ work[1] & work[2]
      work = [
        first &+ sum0 &+ majority, a, work[1], work[2], work[3] &+ first, e, work[5], work[6],
      ]
    }
    for index in state.indices { state[index] &+= work[index] }
  }

  private static func base64(_ bytes: [UInt8]) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    var text = ""
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      var word = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      word <<= UInt32(8 * (3 - group.count))
      for index in 0..<4 {
        text.append(index <= group.count ? digits[Int(word >> UInt32(18 - 6 * index) & 63)] : "=")
      }
    }
    return text
  }
}
