import Glibc

/// The library that is preloaded into programs, and which programs take it.
enum PreloadLibrary {
  static let name = "libLullPreload.so"

  /// Where it is: beside the recorder's own program, or where packages put libraries beside that.
  static var path: String? {
    guard let own = KernelFile.link("/proc/self/exe"), let slash = own.lastIndex(of: "/") else {
      return nil
    }
    let folder = own[..<slash]
    return ["\(folder)/\(name)", "\(folder)/../lib/lull/\(name)", "\(folder)/../lib/\(name)"]
      .first { access($0, R_OK) == 0 }
  }

  /// Why a command's program cannot be recorded from within; nil where it can, or is not found.
  static func refusal(of words: [String]) -> String? {
    guard path != nil else {
      return "\(name) is not beside the lull program: build or install it with lull"
    }
    guard let command = words.first, let file = ProgramFile.path(of: command) else { return nil }
    return refusal(ofProgram: file)
  }

  /// Why a program's file cannot be recorded from within.
  static func refusal(ofProgram file: String) -> String? {
    var information = stat()
    if stat(file, &information) == 0, information.st_mode & (S_ISUID | S_ISGID) != 0,
      geteuid() != 0
    {
      return "\(file) runs with another user's rights, so no library can be preloaded into it"
    }
    guard
      let bytes = OwnedDescriptor(opening: file, flags: O_RDONLY | O_NONBLOCK)?
        .readToEnd(limit: 64 << 10), bytes.starts(with: [0x7f, 0x45, 0x4c, 0x46])
    else {
      // A script: its interpreter is what runs.
      return nil
    }
    // Its run-time library ends programs into which another is preloaded before it.
    if contains(bytes, "libasan.so") {
      return "\(file) is built with the address sanitizer, which takes no preloaded library"
    }
    guard let interpreter = ElfFile(path: file)?.interpreter else {
      return "\(file) is statically linked, so no library can be preloaded into it"
    }
    if interpreter.contains("ld-musl") {
      return "\(file) is of another C library (\(interpreter)) than \(name)"
    }
    return nil
  }

  private static func contains(_ bytes: [UInt8], _ name: String) -> Bool {
    String(decoding: bytes, as: UTF8.self).contains(name)
  }
}
