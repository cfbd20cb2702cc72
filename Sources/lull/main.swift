import ArgumentParser
import CPerfEvent
import Files
import Glibc
import Symbols

// Files that a trace names may be hostile: they are read in a process of their own, which is this program once more.
if CommandLine.arguments.dropFirst().first == ReaderService.argument {
  // Its tables are large, and each is sent as soon as it is made.
  lull_hold_little_memory()
  ReaderService.run()
}
if CommandLine.arguments.dropFirst() == ["--version"] {
  // Not the parser's, which would make the line at every start.
  Console.output(Version.line + "\n")
  exit(0)
}
ReaderProcess.enable()
ReaderProcess.keep(
  in: CacheFolder.standard("lull") { getenv($0).map { String(cString: $0) } })
Console.surviveFileSizeLimit()
Preparation.begin(CommandLine.arguments.dropFirst())

// Parsed here rather than by `Lull.main()`: an error of `record` must not look like the command's.
do {
  try Lull.checkCommand(CommandLine.arguments.dropFirst().first)
  let words = RecordedWords(try ProjectDefaults.adding(to: CommandLine.arguments.dropFirst()))
  var command = try Lull.parseAsRoot(CompareCommand.naming(words.parsed))
  if var record = command as? RecordCommand {
    words.complete(&record)
    command = record
  }
  try command.run()
} catch {
  Exit.with(error)
}
