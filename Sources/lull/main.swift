import ArgumentParser

// Parsed here rather than by `Lull.main()`: an error of `record` must not look like the command's.
do {
  var command = try Lull.parseAsRoot()
  try command.run()
} catch {
  Exit.with(error)
}
