import Foundation
import Signals
import Testing

@testable import Rules

@Suite struct ScoringFileTests {
  private func error(_ text: String) -> String? {
    do {
      _ = try ScoringFile.parse(text, path: "mine.toml")
      return nil
    } catch { return error.description }
  }

  @Test func `the built-in file is whole`() throws {
    let layer = try ScoringFile.builtIn()
    #expect(layer.name == "lull-standard" && layer.version >= 2)
    #expect(layer.profiles.count == 2)
  }

  @Test(arguments: [
    ("name = \"x\"\n\n[rules.cpu-use]\np10 = -1", "mine.toml:4: ", "p10"),
    ("name = \"x\"\n[rules.no-such]\nweight = 1", "mine.toml:2: ", "no rule “no-such”"),
    ("name = \"x\"\n[categories]\ncpu = 1\nsoup = 2", "mine.toml:4: ", "no category “soup”"),
    ("name = \"x\"\nversion = 0", "mine.toml:2: ", "version"),
    ("name = \"x\"\nweigth = 3", "mine.toml:2: ", "no key “weigth”"),
    ("name = \"x\"\n[rules.cpu-use]\np10 = 9\nmedian = 3", "mine.toml:3: ", "below median"),
    ("name = \"x\"\n[rules]\ncpu-use = { weight = \"heavy\" }", "mine.toml:3: ", "weight"),
    ("name = \"x\"\n[profiles.phone.rules.cpu-use]\nweight = 1", "mine.toml:2: ", "no profile"),
    ("name = \"x\"\n[rules.cpu-use\nweight = 1", "mine.toml:2: ", ""),
    ("[rules.cpu-use]\nweight = 1", "mine.toml:1: ", "“name”"),
  ])
  func `an error names its line and what to change`(text: String, place: String, words: String) {
    let message = error(text)
    #expect(message?.hasPrefix(place) == true, "\(message ?? "no error")")
    #expect(words.isEmpty || message?.contains(words) == true, "\(message ?? "no error")")
  }

  @Test func `a user's file replaces parts and leaves the rest`() throws {
    let layer = try ScoringFile.parse(
      """
      name = "mine"
      profile = "server"
      [rules.cpu-use]
      p10 = 5
      median = 10
      [profiles.tool.rules.cpu-use]
      not-for = ""
      p10 = 50
      median = 90
      """, path: "mine.toml")
    let configuration = ScoringConfiguration.standard.adding(layer)
    #expect(configuration.problems == [])
    #expect(configuration.prescribedProfile == .server)
    #expect(configuration.identifier.hasPrefix("mine/1 over lull-standard/"))
    let app = configuration.scheme(for: .app)
    #expect(app.curve(ofRule: "cpu-use")?.p10 == 5)
    #expect(app.curve(ofRule: "cpu-use")?.provenance.contains("mine/1") == true)
    #expect(app.limit(ofRule: "cpu-use")?.value == 80)
    #expect(app.curve(ofRule: "idle-wakeups")?.median == 105)
    // What the user says for all goes over what Lull says for one profile.
    #expect(configuration.scheme(for: .server).curve(ofRule: "cpu-use")?.p10 == 5)
    let tool = configuration.scheme(for: .tool)
    #expect(tool.reasonNotFor(rule: "cpu-use") == nil)
    #expect(tool.curve(ofRule: "cpu-use")?.median == 90)
  }

  @Test func `half a curve is a problem`() throws {
    let layer = try ScoringFile.parse(
      "name = \"x\"\n[rules.bundle-writes]\np10 = 3", path: "mine.toml")
    let configuration = ScoringConfiguration.standard.adding(layer)
    #expect(configuration.problems.contains { $0.contains("bundle-writes") })
  }

  @Test func `profiles are chosen by what was seen`() {
    func profile(_ change: (inout SignalSet) -> Void) -> ScoringProfile {
      var signals = SignalSet(durationSeconds: 9, mainThread: MainThreadSignal())
      change(&signals)
      return ScoringProfile.choose(for: signals).profile
    }
    #expect(profile { _ in } == .app)
    #expect(profile { $0.mainThread?.hasEventLoop = false } == .tool)
    #expect(profile { $0.mainThread = nil } == .app)
    var unknown = MainThreadSignal(
      hasEventLoop: false, blockedSeconds: 1, blockedByCause: [.unknown: 1])
    unknown.runningSeconds = 9
    let choice = ScoringProfile.choose(
      for: SignalSet(durationSeconds: 10, mainThread: unknown))
    #expect(choice.profile == .app && choice.other == .tool)
    var without = SignalSet(durationSeconds: 10)
    without.unavailable[.mainThread] = "not recorded"
    #expect(ScoringProfile.choose(for: without).other == .tool)
    #expect(
      profile { $0.network = NetworkSignal(listeners: [ListenerSignal(local: "[::]:80")]) }
        == .server)
    #expect(
      profile {
        $0.mainThread?.hasEventLoop = false
        $0.network = NetworkSignal(connections: [
          ConnectionSignal(protocol: "tcp", isServerSide: true)
        ])
      } == .server)
    #expect(
      profile { $0.network = NetworkSignal(connections: [ConnectionSignal(protocol: "tcp")]) }
        == .app)
  }

  @Test func `a server may talk all day`() {
    var signals = RadioTails.example(every: 5, seconds: 600)
    signals.mainThread = MainThreadSignal()
    let app = Evaluator.evaluate(signals)
    signals.network?.listeners = [ListenerSignal(local: "0.0.0.0:8080")]
    let server = Evaluator.evaluate(signals)
    func status(_ evaluation: Evaluation) -> AuditStatus? {
      evaluation.audits.first { $0.id == "radio-duty-cycle" }?.status
    }
    #expect(status(app) == .fail)
    #expect(status(server) == .notApplicable)
    #expect(server.audits.first { $0.id == "radio-duty-cycle" }?.value != nil)
  }
}
