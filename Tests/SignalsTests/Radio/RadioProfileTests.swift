import Foundation
import Signals
import Testing

@Suite struct RadioProfileTests {
  @Test func `the built-in profiles`() throws {
    let profiles = try RadioProfileFile.builtIn()
    #expect(
      profiles.map(\.name) == [
        "3g-aro", "5g-nsa", "5g-nsa-mmwave", "5g-sa", "lte-2012", "lte-2021-tmobile",
        "lte-2021-verizon", "lte-aro", "lte-m", "nb-iot", "nb-iot-3gpp", "wifi-ac", "wifi-aro",
        "wifi-n",
      ])
    #expect(Set(profiles.map(\.technology)) == ["3g", "5g", "lte", "lte-m", "nb-iot", "wifi"])
    #expect(profiles.allSatisfy { !$0.source.isEmpty && !$0.title.isEmpty })
    #expect(profiles.contains { $0.name == RadioProfile.defaultName })
  }

  @Test(arguments: [
    ("", "holds no radio profile"),
    ("x = 1", "must be a table"),
    ("[x]", "needs at least one"),
    ("[x]\ntail = 3", "must be tables"),
    ("[[x.tail]]\nname = 'a'", "“seconds” is missing"),
    ("[[x.tail]]\nname = 'a'\nseconds = 0\nmilliwatts = 1", "must be more than 0"),
    ("[[x.tail]]\nname = 'a'\nseconds = 'b'\nmilliwatts = 1", "must be a number"),
    ("[[x.tail]]\nname = 'a'\nseconds = nan\nmilliwatts = 1", "must be a number"),
    ("[[x.tail]]\nname = 'idle'\nseconds = 1\nmilliwatts = 1", "cannot be called"),
    ("[[x.tail]]\nseconds = 1\nmilliwatts = 1", "“name” must be a text"),
    ("[x", "p.toml:1"),
    ("[x]\nuplink_rates = 3\n[[x.tail]]\nname='a'\nseconds=1\nmilliwatts=1", "must be pairs"),
    ("[x]\nuplink_rates = [[1]]\n[[x.tail]]\nname='a'\nseconds=1\nmilliwatts=1", "must be pairs"),
    (
      "[x]\nuplink_rates = [[2, 5], [1, 6]]\n[[x.tail]]\nname='a'\nseconds=1\nmilliwatts=1",
      "ascending"
    ),
    (
      "[[x.tail]]\nname='a'\nseconds=1\nmilliwatts=1\non_milliwatts=2\non_seconds=3\ncycle_seconds=1",
      "is more than"
    ),
  ])
  func `bad files are told in a line`(text: String, part: String) {
    #expect {
      try RadioProfileFile.parse(text, path: "p.toml")
    } throws: { error in
      let line = "\(error)"
      return line.hasPrefix("p.toml") && line.contains(part)
    }
  }

  @Test func `a user's file by path comes first`() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(
      "radio-\(UUID().uuidString).toml"
    ).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let text = "[lte-2012]\n[[lte-2012.tail]]\nname = 'on'\nseconds = 2\nmilliwatts = 1000\n"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    let own = try RadioProfileFile.profile(named: "lte-2012", userFile: path)
    #expect(own.fullTailJoules == 2)
    #expect(own.promotion == nil)
    let other = try RadioProfileFile.profile(named: "wifi-aro", userFile: path)
    #expect(other.tail.count == 1)
  }

  @Test func `an unknown name lists the known ones`() {
    #expect {
      try RadioProfileFile.profile(named: "6g")
    } throws: { error in
      "\(error)".contains("6g") && "\(error)".contains("lte-2012")
    }
    #expect(throws: RadioProfileError.self) {
      try RadioProfileFile.read(path: "/nonexistent/radio.toml")
    }
  }
}
