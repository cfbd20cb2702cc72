import Foundation

/// `atomic-saver`: saves a file whole by writing a temporary one and renaming it over.
enum AtomicSaver {
  static let keys = ["times", "bytes", "path", "gap", "how", "changes"]

  enum Way: String, CaseIterable {
    /// open, write, fsync, rename: what databases and editors do.
    case manual
    /// `Data.write(to:options: .atomic)`.
    case foundation
  }

  static func run(_ arguments: Arguments) throws {
    let times = try arguments.integer("times", 10)
    let bytes = try arguments.integer("bytes", 16_384)
    let gap = try arguments.number("gap", 50)
    let way = try arguments.choice("how", Way.manual)
    let changes = try arguments.integer("changes", 1)
    let path = temporaryPath(arguments, "saved.dat")
    runBesideMainRunLoop {
      var content = [UInt8](repeating: 68, count: bytes)
      for index in 0..<times {
        for offset in 0..<min(changes, bytes) { content[offset] = UInt8(truncatingIfNeeded: index) }
        let data = Data(content)
        if index > 0 { pause(milliseconds: gap) }
        switch way {
        case .manual: try save(content, path)
        case .foundation: try data.write(to: URL(fileURLWithPath: path), options: .atomic)
        }
      }
      var truth = fileTruth("atomic-saver", path, writes: times, bytes: times * bytes)
      truth.cause = way.rawValue
      truth.renames = times
      // Foundation's own syncs are its affair; the manual way syncs once a save.
      truth.syncs = way == .manual ? times : nil
      return truth
    }
  }

  private static func save(_ content: [UInt8], _ path: String) throws {
    let temporary = path + ".tmp"
    let file = try checked(
      open(temporary, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0o600), "open \(temporary)")
    try checked(write(file, content, content.count), "write \(temporary)")
    try checked(fsync(file), "fsync \(temporary)")
    close(file)
    try checked(rename(temporary, path), "rename \(temporary)")
  }
}
