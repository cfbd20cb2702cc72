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
    // A mark behind one of them makes no other character of it.
    #expect(Escaped.markdown("a|\u{301}<\u{301}") == "a\\|\u{301}&lt;\u{301}")
  }

  // `it's “é”` was `it's “\u{E9}”` on a page, and so was each letter behind a quote that is not ASCII.
  @Test func `on a page only what would hide markup is escaped beside it`() {
    #expect(PageText.shown("\"é\" & \u{300C}'漢'\u{300D} <ü>") == "\"é\" & \u{300C}'漢'\u{300D} <ü>")
    #expect(PageText.shown("e\u{301}<e\u{301}") == "e\u{301}<e\u{301}")
    #expect(PageText.shown("<\u{301}b\u{301}") == "<\\u{301}b\u{301}")
    // A letter that is of one character with whatever follows.
    #expect(PageText.shown("\u{D4E}<b") == "\\u{D4E}<b")
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

  @Test func `signals have their names`() {
    #expect(SignalNames.name(9) == "9 (SIGKILL)")
    #expect(SignalNames.name(31) == "31 (SIGSYS)")
    #expect(SignalNames.name(64) == "64")
  }
}
