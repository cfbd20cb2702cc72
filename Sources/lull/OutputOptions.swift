import ArgumentParser
import Files
import Glibc

/// Where what a command makes goes: standard output, or a file, which takes no other's place unasked.
struct OutputOptions: ParsableArguments {
  @Option(name: .shortAndLong, help: "The file to write, instead of standard output.")
  var output: String?

  @Flag(help: "Overwrite the output file where it exists.")
  var force = false

  /// The file; nil for standard output, which `-` means too.
  private var path: String? { output == "-" ? nil : output }

  /// Whether it is a terminal that shows colours.
  var isColored: Bool { path == nil && Console.isColored(STDOUT_FILENO) }

  /// Refuses what `write` would, before there is any work that would be lost.
  ///
  /// - Throws: `OutputFileError`.
  func check() throws {
    if let path { try OutputFile.check(path, overwrite: force, takesStreams: true) }
  }

  /// - Throws: `OutputFileError`.
  func write(_ bytes: [UInt8]) throws {
    guard let path else { return Console.output(bytes) }
    try OutputFile.write(bytes, to: path, overwrite: force)
  }

  /// - Throws: `OutputFileError`.
  func write(_ text: String) throws { try write(Array(text.utf8)) }
}
