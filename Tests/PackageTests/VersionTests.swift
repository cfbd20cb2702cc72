import Testing

struct VersionTests {
  @Test func `the plugin takes the lull that is of its own version`() throws {
    let program = try SourceTree.text(of: "Sources/lull/Version.swift")
    let plugin = try SourceTree.text(of: "Sources/LullPlugin/LullPlugin.swift")
    let own = try #require(program.firstMatch(of: /static let text = "([0-9.]+)"/))
    let wanted = try #require(plugin.firstMatch(of: /static let version = "([0-9.]+)"/))
    #expect(own.1 == wanted.1)
  }
}
