#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Replaces what names a person, a machine or a place, always the same way, within text.
///
/// Different names get different placeholders, so that no two files or hosts become one.
struct NameRedactor {
  /// The first directories that are the same on every machine.
  private static let systemRoots: Set<Substring> = [
    "bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "media", "mnt", "nix", "opt", "proc",
    "run", "sbin", "snap", "srv", "sys", "tmp", "usr", "var",
  ]
  /// Names too common to be replaced wherever they stand.
  private static let commonNames: Set<String> = [
    "root", "user", "host", "swift", "localhost", "main", "home", "build", "debug", "release",
  ]

  private var homes: [String: Int] = [:]
  private var roots: [String: Int] = [:]
  private var people: Set<String> = []
  private var hosts: Set<String> = []
  var addresses = AddressRedactor()

  init(hostname: String?) {
    guard let hostname, !hostname.isEmpty else { return }
    hosts.insert(hostname)
    if let short = hostname.split(separator: ".").first { hosts.insert(String(short)) }
    hosts.subtract(Self.commonNames)
  }

  /// The text with paths, people, the host and addresses replaced.
  mutating func text(_ text: String) -> String {
    let bytes = Array(text.utf8)
    var output: [UInt8] = []
    var index = 0
    while index < bytes.count {
      // A path begins at a slash that does not go on from a word: "-I/x", "a=/x", "/x".
      let isStart = index == 0 || !Self.isWord(bytes[index - 1]) || Self.isOption(bytes, index)
      if bytes[index] == 0x2F, isStart, index + 1 < bytes.count, Self.isWord(bytes[index + 1]) {
        var end = index
        while end < bytes.count, !Self.endsPath(bytes[end]) { end += 1 }
        output += Array(path(String(decoding: bytes[index..<end], as: UTF8.self)).utf8)
        index = end
      } else {
        output.append(bytes[index])
        index += 1
      }
    }
    return words(String(decoding: output, as: UTF8.self))
  }

  /// A short name without a path in it, such as a thread's.
  mutating func name(_ text: String) -> String { words(text) }

  /// An absolute path: home and build directories replaced.
  private mutating func path(_ path: String) -> String {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count >= 2, parts[0].isEmpty else { return path }
    if let package = packageDepth(parts) {
      noteHome(parts)
      return join(placeholder(&roots, parts[..<package], "/build"), parts[package...])
    }
    if let depth = homeDepth(parts) {
      noteHome(parts)
      return join(placeholder(&homes, parts[..<depth], "/home/user"), parts[depth...])
    }
    if parts[1].isEmpty || Self.systemRoots.contains(parts[1]) || parts[1] == "build" {
      return path
    }
    // A top directory that the system does not have is somebody's.
    if parts.count == 2 { return path }
    return join(placeholder(&roots, parts[..<2], "/build"), parts[2...])
  }

  /// How many components lie before a package's own folders; nil when none of them is in the path.
  private func packageDepth(_ parts: [Substring]) -> Int? {
    let depth = parts.firstIndex {
      $0 == ".build" || $0.hasPrefix(".build-") || $0 == "Sources" || $0 == "Tests"
    }
    guard let depth, depth >= 2, !(parts[1] == "usr" || parts[1] == "build") else { return nil }
    return depth
  }

  private func homeDepth(_ parts: [Substring]) -> Int? {
    switch parts[1] {
    case "root": 2
    case "home", "Users": parts.count > 2 && !parts[2].isEmpty ? 3 : nil
    default: nil
    }
  }

  private mutating func noteHome(_ parts: [Substring]) {
    guard let depth = homeDepth(parts), depth == 3 else { return }
    let name = String(parts[2])
    if name.utf8.count > 1, !Self.commonNames.contains(name) { people.insert(name) }
  }

  private func join(_ head: String, _ rest: ArraySlice<Substring>) -> String {
    rest.isEmpty ? head : head + "/" + rest.joined(separator: "/")
  }

  private func placeholder(
    _ known: inout [String: Int], _ parts: ArraySlice<Substring>, _ base: String
  ) -> String {
    let key = parts.joined(separator: "/")
    // What is a placeholder already stays, so that redacting twice changes nothing.
    if key == base { known[key] = known[key] ?? known.count + 1 }
    let number = known[key] ?? known.count + 1
    known[key] = number
    return number == 1 ? base : "\(base)\(number)"
  }

  /// Whole words that name a person or the host, and addresses.
  private mutating func words(_ text: String) -> String {
    var output = ""
    var word = ""
    func isPart(_ scalar: Unicode.Scalar) -> Bool {
      scalar.properties.isAlphabetic || (scalar.value >= 0x30 && scalar.value <= 0x39)
        || scalar == "-" || scalar == "." || scalar == ":" || scalar == "_"
    }
    for scalar in text.unicodeScalars {
      if isPart(scalar) {
        word.unicodeScalars.append(scalar)
      } else {
        output += replaced(word)
        word = ""
        output.unicodeScalars.append(scalar)
      }
    }
    return output + replaced(word)
  }

  private mutating func replaced(_ word: String) -> String {
    guard !word.isEmpty else { return word }
    if hosts.contains(word) { return "host" }
    if people.contains(word) { return "user" }
    if let address = addresses.text(word) { return address }
    guard word.contains(where: { "-.:_".contains($0) }) else { return word }
    var output = ""
    var part = ""
    for character in word {
      if "-.:_".contains(character) {
        output += known(part)
        part = ""
        output.append(character)
      } else {
        part.append(character)
      }
    }
    return output + known(part)
  }

  private func known(_ part: String) -> String {
    hosts.contains(part) ? "host" : people.contains(part) ? "user" : part
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    (byte >= 0x30 && byte <= 0x39) || (byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A)
      || byte == 0x2E || byte == 0x5F || byte == 0x2D || byte == 0x2F || byte >= 0x80
  }

  /// Whether the slash follows a one-letter option, as in `-I/x`.
  private static func isOption(_ bytes: [UInt8], _ index: Int) -> Bool {
    index >= 2 && bytes[index - 2] == 0x2D && (index == 2 || bytes[index - 3] == 0x20)
  }

  private static func endsPath(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == 0x3A || byte == 0x22 || byte == 0x27 || byte == 0x2C || byte == 0x3B
  }
}
