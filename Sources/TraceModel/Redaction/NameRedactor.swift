#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Replaces what names a person, a machine or a place, always the same way, within text.
///
/// Different names get different placeholders, so that no two files or hosts become one. All text
/// is seen once before anything is replaced: then it is known which placeholders the trace itself
/// has.
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

  /// Folders of the system, whose files are the same on every machine that has them.
  private static let systemTrees: Set<Substring> = [
    "bin", "boot", "dev", "lib", "lib32", "lib64", "nix", "proc", "sbin", "snap", "sys", "usr",
  ]
  /// What folders are called everywhere; rules go by some of these.
  private static let plainNames: Set<Substring> = [
    "", ".", "..", "tmp", "log", "lib", "lib64", "bin", "share", "local", "cache", "run", "spool",
    "lock", "etc", "usr", "user", "shm", ".cache", ".local", ".config", "state", "Library",
    "Caches",
    "Documents", "Downloads", "Desktop", "Application Support", "Preferences", "Sources", "Tests",
    "Plugins", ".build", "debug", "release", "checkouts", "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu", "main.swift", "Package.swift", "null", "swift", "data",
  ]
  /// What SQLite puts behind the name of a database.
  private static let databaseSuffixes = ["-wal", "-shm", "-journal"]

  private var homes = PlaceholderNames(base: "/home/user")
  private var roots = PlaceholderNames(base: "/build")
  /// Folders and files that are somebody's own.
  private var files = PlaceholderNames(base: "n")
  /// Names of programs and threads, which a report shows.
  private var programs: Set<String> = []
  /// What stands for each person, as in the path of his home.
  private var people: [String: String] = [:]
  private var hosts: Set<String> = []
  var addresses = AddressRedactor()
  /// Whether the next argument is the value of an option whose name tells of a secret.
  var followsSecret = false
  /// Whether a number in what is read now may be a secret, however short.
  var hidesNumbers = false

  init(hostname: String?) {
    guard let hostname, !hostname.isEmpty else { return }
    hosts.insert(hostname)
    if let short = hostname.split(separator: ".").first { hosts.insert(String(short)) }
    hosts.subtract(Self.commonNames)
  }

  /// Ends the first reading: from now on text is replaced.
  mutating func seal() {
    homes.seal()
    roots.seal()
    files.seal()
    for home in homes.keys {
      guard let name = home.split(separator: "/").dropFirst().first.map(String.init),
        name.utf8.count > 1, !Self.commonNames.contains(name)
      else { continue }
      people[name] = homes.placeholder(home).split(separator: "/").last.map(String.init)
    }
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
  mutating func name(_ text: String) -> String {
    programs.insert(text)
    return words(text)
  }

  /// Text that is the path of one file, whatever its name has in it, or says what else there is in place of a file.
  mutating func file(_ text: String) -> String {
    if text.hasPrefix("/") { return words(path(text)) }
    return text.contains("/") && !text.contains(":") ? words(relative(text)) : self.text(text)
  }

  /// A path as a call was given it, or as a descriptor has it: without a slash it is a file of the working directory.
  mutating func opened(_ text: String) -> String {
    // `pipe:[12]`, `anon_inode:inotify`: no file.
    let isFile = !text.isEmpty && !text.contains(":") && !text.hasPrefix("[")
    return isFile && !text.hasPrefix("/") ? relative(text) : file(text)
  }

  /// A path from the working directory on.
  mutating func relative(_ path: String) -> String {
    path.split(separator: "/", omittingEmptySubsequences: false).map { hidden($0) }
      .joined(separator: "/")
  }

  /// Whether text is what a program or a thread is called.
  func isProgram(_ text: String) -> Bool { programs.contains(text) }

  /// What stands for text of which nothing is to be told but where it is the same.
  mutating func placeholder(_ text: String) -> String { files.placeholder(text) }

  /// An absolute path: homes and build directories replaced, and what is below them and elsewhere.
  mutating func path(_ path: String) -> String {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count >= 2, parts[0].isEmpty else { return path }
    if let package = packageDepth(parts) {
      noteHome(parts)
      return join(roots.placeholder(parts[..<package].joined(separator: "/")), parts[package...])
    }
    if let depth = homeDepth(parts) {
      return join(homes.placeholder(parts[..<depth].joined(separator: "/")), parts[depth...])
    }
    if parts[1].isEmpty || isSystems(parts) { return path }
    if Self.systemRoots.contains(parts[1]) { return join("/" + parts[1], parts[2...]) }
    // A top directory that the system does not have is somebody's.
    if parts.count == 2 { return "/" + hidden(parts[1]) }
    return join(roots.placeholder(parts[..<2].joined(separator: "/")), parts[2...])
  }

  /// Whether a file is the system's, or the toolchain's.
  private func isSystems(_ parts: [Substring]) -> Bool {
    switch (parts[1], parts.count > 2 ? parts[2] : "") {
    case ("usr", "local"), ("dev", "shm"): false
    case ("opt", let name), ("usr", let name): parts[1] == "usr" || name.hasPrefix("swift")
    default: Self.systemTrees.contains(parts[1])
    }
  }

  /// What stands for one part of a path: always the same for the same name, with its type.
  private mutating func hidden(_ part: Substring) -> String {
    if Self.plainNames.contains(part) || programs.contains(String(part)) { return String(part) }
    var name = part
    var suffix = ""
    if let database = Self.databaseSuffixes.first(where: { name.hasSuffix($0) }) {
      name = name.dropLast(database.count)
      suffix = database
    }
    if let dot = name.lastIndex(of: "."), dot > name.startIndex {
      let type = name[dot...]
      if type.utf8.count <= 12, type.dropFirst().allSatisfy({ $0.isASCII && $0.isLetter }) {
        suffix = type + suffix
        name = name[..<dot]
      }
    }
    if name.allSatisfy({ $0.isASCII && $0.isNumber }) { return String(part) }
    let isHidden = name.first == "."
    return (isHidden ? "." : "") + files.placeholder(String(isHidden ? name.dropFirst() : name))
      + suffix
  }

  /// How many components lie before a package's own folders; nil when none of them is in the path.
  private func packageDepth(_ parts: [Substring]) -> Int? {
    let depth = parts.firstIndex {
      $0 == ".build" || $0.hasPrefix(".build-") || $0 == "Sources" || $0 == "Tests"
    }
    guard let depth, depth >= 2, parts[1] != "usr" else { return nil }
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
    guard let depth = homeDepth(parts) else { return }
    _ = homes.placeholder(parts[..<depth].joined(separator: "/"))
  }

  private mutating func join(_ head: String, _ rest: ArraySlice<Substring>) -> String {
    rest.isEmpty ? head : head + "/" + rest.map { hidden($0) }.joined(separator: "/")
  }

  /// Whole words that name a person or the host, and addresses.
  mutating func words(_ text: String) -> String {
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
    if let person = people[word] { return person }
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
    hosts.contains(part) ? "host" : people[part] ?? part
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
    byte <= 0x20 || byte == 0x3A || byte == 0x22 || byte == 0x27 || byte == 0x2C || byte == 0x3B
  }
}
