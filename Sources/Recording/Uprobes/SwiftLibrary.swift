import Glibc

/// Finds a library of Swift that a program uses or will use.
enum SwiftLibrary: String {
  case concurrency = "libswift_Concurrency.so"
  case dispatch = "libdispatch.so"

  /// Files that may hold it, the likeliest first: the program itself, where the runtime is linked in.
  func candidates(of target: RecordingOptions.Target, path: String) -> [String] {
    switch target {
    case .pid(let pid):
      let mapped = ProcessProbe.mappedPaths(pid: pid).filter { $0.hasSuffix("/" + rawValue) }
      return mapped + ["/proc/\(pid)/exe"]
    case .command(let words):
      guard let program = Self.locate(words.first ?? "", path) else { return [] }
      var folders = [Self.folder(of: program)]
      if let swift = Self.locate("swift", path) {
        folders.append(Self.folder(of: swift) + "/../lib/swift/linux")
      }
      folders.append("/usr/lib/swift/linux")
      return [program] + folders.map { $0 + "/" + rawValue }
    }
  }

  /// A program's file, without links, as the shell would find it.
  private static func locate(_ program: String, _ path: String) -> String? {
    let places =
      program.contains("/") ? [program] : path.split(separator: ":").map { "\($0)/\(program)" }
    for place in places where access(place, X_OK) == 0 {
      guard let resolved = realpath(place, nil) else { continue }
      defer { free(resolved) }
      return String(cString: resolved)
    }
    return nil
  }

  private static func folder(of file: String) -> String {
    file.lastIndex(of: "/").map { String(file[..<$0]) } ?? "."
  }
}
