import CResources

/// Files that are built into Lull.
///
/// They come in by C's `#embed`: as Swift's array literals, which the package manager would make of them, they take the
/// compiler half as long as the modules that use them.
package enum Resources {
  /// What the rules' scores are made of, as TOML.
  package static var scoring: String { text(lull_resource_scoring()) }
  /// Energy by class of machine, as TOML.
  package static var energy: String { text(lull_resource_energy()) }
  /// Radios' states and powers, as TOML.
  package static var radios: String { text(lull_resource_radios()) }

  /// Programs that record in the kernel, as an ELF object.
  package static var recorder: [UInt8] { bytes(lull_resource_recorder()) }
  /// Programs that tell the sockets which processes have.
  package static var sockets: [UInt8] { bytes(lull_resource_sockets()) }
  /// Programs that count transfers.
  package static var transfers: [UInt8] { bytes(lull_resource_transfers()) }

  /// The page's style sheets, in one.
  package static var style: String { text(lull_resource_style()) }
  /// The page's scripts, in one.
  package static var script: String { text(lull_resource_script()) }
  /// The page's templates by name.
  package static var templates: [(name: String, text: String)] {
    [
      ("report", lull_resource_page_report()), ("head", lull_resource_page_head()),
      ("verdict", lull_resource_page_verdict()), ("timeline", lull_resource_page_timeline()),
      ("findings", lull_resource_page_findings()), ("finding", lull_resource_page_finding()),
      ("tables", lull_resource_page_tables()), ("recording", lull_resource_page_recording()),
      ("comparison", lull_resource_page_comparison()),
    ].map { (name: $0.0, text: text($0.1)) }
  }

  private static func bytes(_ file: lull_resource) -> [UInt8] {
    Array(UnsafeBufferPointer(start: file.bytes, count: file.length))
  }

  private static func text(_ file: lull_resource) -> String {
    String(decoding: UnsafeBufferPointer(start: file.bytes, count: file.length), as: UTF8.self)
  }
}
