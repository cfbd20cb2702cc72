import ArgumentParser
import Budgets
import Files
import Glibc
import Reporting

/// Where the outcome of a check goes besides the terminal.
struct CheckOutputs: ParsableArguments {
  @Option(help: ArgumentHelp("Write the check as JSON.", valueName: "path"))
  var json: String?

  @Option(help: ArgumentHelp("Write it as JUnit XML.", valueName: "path"))
  var junit: String?

  @Option(help: ArgumentHelp("Write it as SARIF 2.1.0.", valueName: "path"))
  var sarif: String?

  @Option(help: ArgumentHelp("Write it as Markdown, for a comment.", valueName: "path"))
  var markdown: String?

  @Option(help: ArgumentHelp("Write it as GitLab's code quality report.", valueName: "path"))
  var gitlab: String?

  @Option(help: ArgumentHelp("Write it as OpenMetrics text.", valueName: "path"))
  var openmetrics: String?

  @Flag(help: "Print annotations for GitHub Actions, and add to the step's summary.")
  var github = false

  @Option(
    help: ArgumentHelp(
      "The project's folder, which shown places are inside of; the current one by default.",
      valueName: "folder"))
  var sourceRoot: String?

  /// Writes what was asked for; files of an earlier check are replaced.
  func write(_ check: CheckResult, all: Bool) throws {
    let places = ProjectPlaces(root: root, budget: Self.absolute(check.budget)) {
      access($0, F_OK) == 0
    }
    try write(json) { try CheckJSON.render(check) }
    try write(junit) { JUnitReport.render(check) }
    try write(sarif) { try SARIFReport.render(check, places: places) }
    try write(markdown) { CheckMarkdown.render(check) }
    try write(gitlab) { try GitLabReport.render(check, places: places) }
    try write(openmetrics) { OpenMetricsReport.render(check) }
    Console.output(
      CheckText.render(
        check, options: TextOptions(color: Console.isColored(STDOUT_FILENO)), all: all))
    if github {
      Console.output(GitHubAnnotations.render(check, places: places))
      try summarize(check)
    }
  }

  private func write(_ path: String?, _ text: () throws -> String) throws {
    guard let path else { return }
    try OutputFile.write(Array(text().utf8), to: path, overwrite: true)
  }

  /// Adds to the summary of the step, which other programs may have begun.
  private func summarize(_ check: CheckResult) throws {
    guard let variable = getenv("GITHUB_STEP_SUMMARY"), variable.pointee != 0 else { return }
    let path = String(cString: variable)
    let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      throw Failure(
        status: Exit.inputOutput,
        message: "cannot add to the step's summary \(path): \(String(cString: strerror(errno)))")
    }
    defer { close(descriptor) }
    var status = stat()
    let taken = fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    let text = CheckMarkdown.render(check, limit: max(0, CheckMarkdown.summaryBytes - taken))
    guard taken + text.utf8.count <= CheckMarkdown.summaryBytes else { return }
    _ = OutputFile.writeAll(Array(text.utf8), to: descriptor)
  }

  private var root: String {
    if let sourceRoot { return Self.absolute(sourceRoot) }
    for name in ["GITHUB_WORKSPACE", "CI_PROJECT_DIR"] {
      if let value = getenv(name), value.pointee != 0 { return String(cString: value) }
    }
    return Self.absolute(".")
  }

  private static func absolute(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
