import ArgumentParser
import Symbols

// Files that a trace names may be hostile: they are read in a process of their own, which is this program once more.
if CommandLine.arguments.dropFirst().first == ReaderService.argument { ReaderService.run() }
ReaderProcess.enable()
Console.surviveFileSizeLimit()
Preparation.begin(CommandLine.arguments.dropFirst())

// Parsed here rather than by `Lull.main()`: an error of `record` must not look like the command's.
do {
  var command = try Lull.parseAsRoot(CompareCommand.naming(CommandLine.arguments.dropFirst()))
  try command.run()
} catch {
  Exit.with(error)
}
