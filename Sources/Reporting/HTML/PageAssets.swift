import Mustache
import Resources

/// The pieces of a page that the build inlined: templates, style and script.
enum PageAssets {
  /// The style sheets.
  static let style = Resources.style

  /// The script of a page, in one scope of its own.
  static let script = "(function () {\n\"use strict\";\n" + Resources.script + "}());\n"

  /// What a page may load: nothing; and of scripts and styles only its own.
  static let policy =
    "default-src 'none'; script-src '\(ContentHash.source(script))'; "
    + "style-src '\(ContentHash.source(style))'; img-src data:; base-uri 'none'; "
    + "form-action 'none'"

  /// All templates by name.
  static func library() throws -> MustacheLibrary {
    var library = MustacheLibrary()
    for template in Resources.templates {
      try library.register(template.text, named: template.name)
    }
    return library
  }
}
