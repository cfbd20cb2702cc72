import Mustache

/// The pieces of a page that the build inlined: templates, style and script.
enum PageAssets {
  /// The style sheets, in the order in which they build on one another.
  static let style = text([
    PackageResources.base_css, PackageResources.verdict_css, PackageResources.timeline_css,
    PackageResources.findings_css, PackageResources.tables_css, PackageResources.print_css,
  ])

  /// The script of a page, in one scope of its own.
  static let script =
    "(function () {\n\"use strict\";\n"
    + text([
      PackageResources.basics_js, PackageResources.grid_js, PackageResources.moments_js,
      PackageResources.power_js, PackageResources.lanes_js,
      PackageResources.figures_js, PackageResources.drawing_js, PackageResources.details_js,
      PackageResources.input_js, PackageResources.tables_js, PackageResources.flame_js,
      PackageResources.page_js,
    ]) + "}());\n"

  /// What a page may load: nothing; and of scripts and styles only its own.
  static let policy =
    "default-src 'none'; script-src '\(ContentHash.source(script))'; "
    + "style-src '\(ContentHash.source(style))'; img-src data:; base-uri 'none'; "
    + "form-action 'none'"

  /// All templates by name.
  static func library() throws -> MustacheLibrary {
    var library = MustacheLibrary()
    let templates: [(String, [UInt8])] = [
      ("report", PackageResources.report_mustache), ("head", PackageResources.head_mustache),
      ("verdict", PackageResources.verdict_mustache),
      ("timeline", PackageResources.timeline_mustache),
      ("findings", PackageResources.findings_mustache),
      ("finding", PackageResources.finding_mustache),
      ("tables", PackageResources.tables_mustache),
      ("recording", PackageResources.recording_mustache),
      ("comparison", PackageResources.comparison_mustache),
    ]
    for (name, bytes) in templates { try library.register(text([bytes]), named: name) }
    return library
  }

  private static func text(_ pieces: [[UInt8]]) -> String {
    pieces.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
  }
}
