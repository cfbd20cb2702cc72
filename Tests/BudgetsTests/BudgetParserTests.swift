import Reporting
import Testing

@testable import Budgets

@Suite struct BudgetParserTests {
  @Test func `the smallest budget`() throws {
    let file = try BudgetParser.parse(
      """
      [[budget]]
      path = "signals.disk.syncs"        # any figure of the report JSON
      max = 10                           # or min, or change = { relative = 0.10, absolute = 5 }
      level = "error"                    # default
      """, path: "lull.toml")
    let budget = try #require(file.budgets.first)
    #expect(budget.path.description == "signals.disk.syncs")
    #expect(budget.max == 10 && budget.level == .error && budget.aggregate == .median)
    #expect(budget.direction == .lower && budget.line == 1)
  }

  @Test func `everything that can be said`() throws {
    let file = try BudgetParser.parse(
      """
      # a comment with [[budget]] in it
      [settings]
      max-loss = 0.05
      inconclusive = "warn"
      aggregate = "p90"
      baseline = "base.json"
      significance = 0.01

      [[scenario]]
      name = "startup"
      command = [
        "./app",  # a [comment]
        "--once",
      ]
      runs = 7
      duration = "1500ms"
      warm-up = "2s"
      load = ["wrk", "-d", "3"]
      environment = { A = "b" }

      [[budget]]
      path = "score.overall"
      min = 80.5
      change = { relative = 0.1, absolute = 5 }
      scenario = "startup"
      note = '''
      [[budget]]
      max = 3
      '''

      [[budget]]
      path = "audits.*.status"
      worst = "warn"
      level = "warn"
      """, path: "lull.toml")
    #expect(file.settings.maxLoss == 0.05 && file.settings.inconclusive == .warn)
    #expect(file.settings.significance == 0.01 && file.settings.baseline == "base.json")
    let scenario = try #require(file.scenario("startup"))
    #expect(scenario.command == ["./app", "--once"] && scenario.runs == 7)
    #expect(scenario.durationSeconds == 1.5 && scenario.warmUpSeconds == 2)
    #expect(scenario.load == ["wrk", "-d", "3"] && scenario.environment == ["A": "b"])
    #expect(file.budgets.map(\.line) == [21, 31])
    #expect(file.budgets[0].direction == .higher && file.budgets[0].aggregate == .p90)
    #expect(file.budgets[0].change == AllowedChange(relative: 0.1, absolute: 5))
    #expect(file.budgets[1].worst == .warn)
  }

  static let refused: [(text: String, line: Int, says: String)] = [
    ("[[budget]]\npath = \"signals.disk.synks\"\nmax = 1", 2, "did you mean “syncs”?"),
    ("[[budget]]\npath = \"signals.disk.syncs\"\n\nmaks = 1", 4, "did you mean “max”?"),
    ("[[budgets]]\npath = \"x\"", 1, "did you mean “budget”?"),
    ("[[budget]]\nmax = 1", 1, "“path” is missing"),
    ("[[budget]]\npath = \"score.overall\"", 1, "sets no limit"),
    ("[[budget]]\npath = \"score.overall\"\nmin = \"high\"", 3, "must be a number"),
    ("[[budget]]\npath = \"score.overall\"\nmin = 9\nmax = 8", 3, "nothing can pass"),
    ("[[budget]]\npath = \"score.overall\"\nmin = 9\nlevel = \"eror\"", 4, "error, warn, off"),
    ("[[budget]]\npath = \"score.overall\"\nmin = 1\nmin = 2", 4, "min"),
    ("[[budget]]\npath = 3\nmin = 1", 2, "between quotes"),
    ("[[budget]]\npath = \"score.overall\"\nchange = 3", 3, "must be a table"),
    ("[[budget]]\npath = \"score.overall\"\nchange = {}", 3, "“relative”, “absolute”"),
    ("[[budget]]\npath = \"score.overall\"\nchange = { relativ = 1 }", 3, "“relative”?"),
    ("[[budget]]\npath = \"score.overall\"\nmin = 1\nscenario = \"x\"", 4, "no scenario “x”"),
    ("[[budget]]\npath = \"process.name\"\nmax = 1", 2, "is a text"),
    ("[[budget]]\npath = \"audits.idle-wakeups.status\"\nmax = 1", 1, "worst"),
    ("[[budget]]\npath = \"score.overall\"\nworst = \"warn\"", 3, "a rule's status"),
    ("[settings]\nmax-loss = 2", 2, "from 0 to 1"), ("[setings]\n", 1, "“settings”?"),
    ("budget = 3", 1, "two brackets"), ("[[budget]\npath", 1, "TOML"),
    ("[[scenario]]\nname = \"a b\"\ncommand = [\"x\"]", 2, "file's name"),
    ("[[scenario]]\nname = \"a\"", 1, "“command” is missing"),
    ("[[scenario]]\nname = \"a\"\ncommand = [\"x\", 3]", 3, "between quotes"),
    ("[[scenario]]\nname = \"a\"\ncommand = [\"x\"]\nwarm-up = \"1s\"", 4, "needs a duration"),
    (
      "[[scenario]]\nname = \"a\"\ncommand = [\"x\"]\n[[scenario]]\nname = \"a\"\ncommand = [\"x\"]",
      5, "two scenarios"
    ),
  ]

  @Test(arguments: refused)
  func `what is not understood is an error with its line`(
    text: String, line: Int, says: String
  ) {
    let error = #expect(throws: BudgetFileError.self) {
      try BudgetParser.parse(text, path: "lull.toml")
    }
    #expect(error?.line == line, "\(error?.description ?? "")")
    #expect(says == "TOML" || error?.message.contains(says) == true, "\(error?.message ?? "")")
  }

  @Test func `a project's file sets options, of which none writes a file`() throws {
    let text = """
      [record]
      interval = "50ms"
      full-names = true
      radio-loopback = false
      battery = 12.5
      machine = "phone"
      """
    let words = try DefaultOptions.words(of: "record", in: text, path: "lull.toml")
    #expect(words == ["--battery=12.5", "--full-names", "--interval=50ms", "--machine=phone"])
    #expect(try DefaultOptions.words(of: "report", in: text, path: "lull.toml").isEmpty)
    #expect(try DefaultOptions.words(of: "export", in: text, path: "lull.toml").isEmpty)
    _ = try BudgetParser.parse(text, path: "lull.toml")
    // Who asks for a key that there is not is told of every one that there is.
    let error = #expect(throws: BudgetFileError.self) {
      try DefaultOptions.words(of: "record", in: "[record]\nzzzzzzzzzz = 1", path: "lull.toml")
    }
    // A table whose name was misspelt was passed over in silence by all but `check`.
    for command in ["record", "report"] {
      let unknown = #expect(throws: BudgetFileError.self) {
        try DefaultOptions.words(
          of: command, in: "[record]\nmachine = \"phone\"\n[reprot]\n", path: "lull.toml")
      }
      #expect(
        unknown?.message.contains("“reprot”") == true
          && unknown?.message.contains("“report”") == true)
    }
    for key in DefaultOptions.known["record"] ?? [] {
      #expect(error?.message.contains(key) == true, "\(key): \(error?.message ?? "")")
    }
    for line in ["output = \"/etc/passwd\"", "force = true", "html = \"x\""] {
      #expect(throws: BudgetFileError.self) {
        try DefaultOptions.words(of: "record", in: "[record]\n" + line, path: "lull.toml")
      }
    }
  }
}
