import Testing

@testable import Reporting

@Suite struct FormattingTests {
  @Test func `names are shown so that nothing is hidden`() {
    #expect(Escaped.text("plain name") == "plain name")
    #expect(Escaped.text("a\u{1B}[2Jb") == "a\\x1B[2Jb")
    #expect(Escaped.text("a\nb\tc\r") == "a\\nb\\tc\\r")
    #expect(Escaped.text("x\u{202E}y") == "x\\u{202E}y")
    #expect(Escaped.text("\\n") == "\\\\n")
    #expect(Escaped.text("naïve 漢") == "naïve 漢")
    #expect(Escaped.text("\u{3164}\u{A0}") == "\\u{3164}\\u{A0}")
    #expect(Escaped.markdown("a|b<i>*_`") == "a\\|b&lt;i&gt;\\*\\_\\`")
  }

  @Test func `widths are those of a terminal`() {
    #expect(Columns.width("abc") == 3)
    #expect(Columns.width("漢字") == 4)
    #expect(Columns.width("e\u{301}") == 1)
    #expect(Columns.clip("abcdefghijkl", to: 9) == "abc...jkl")
    #expect(Columns.width(Columns.clip("漢字漢字漢字漢字", to: 9)) <= 9)
    #expect(Columns.wrap("one two three", to: 7) == ["one two", "three"])
    #expect(Columns.wrap("abcdefgh ij", to: 3) == ["abc", "def", "gh", "ij"])
    #expect(Columns.wrap("", to: 3) == [""])
    #expect(Columns.wrap("漢字", to: 1) == ["漢字"])
  }

  @Test func `figures read the same everywhere`() {
    #expect(Figures.seconds(0) == "0 s")
    #expect(Figures.seconds(0.0123) == "12.3 ms")
    #expect(Figures.seconds(59.94) == "59.9 s")
    #expect(Figures.seconds(600) == "10.0 min")
    #expect(Figures.bytes(UInt64(999)) == "999 B")
    #expect(Figures.bytes(UInt64(1_234_567)) == "1.23 MB")
    #expect(Figures.bytes(-2048.0) == "-2.05 kB")
    #expect(Figures.grouped(-1_234_567) == "-1,234,567")
    #expect(Figures.grouped(100) == "100")
    #expect(Figures.fixed(-0.001, 2) == "0.00")
    #expect(Figures.fixed(.nan, 2) == "?")
    #expect(
      Figures.period(251) == "251" && Figures.period(39) == "39" && Figures.period(16.25) == "16.2")
    #expect(Figures.joules(0.101) == "101 mJ")
    #expect(Figures.percent(0.256) == "25.6 %")
  }

  @Test func `signals have their names`() {
    #expect(SignalNames.name(9) == "9 (SIGKILL)")
    #expect(SignalNames.name(31) == "31 (SIGSYS)")
    #expect(SignalNames.name(64) == "64")
  }
}
