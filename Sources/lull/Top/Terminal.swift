import Glibc

/// The terminal as a screen: keys as they are pressed, and all of it as it was before when this ends.
final class Terminal {
  enum Key: Equatable {
    case letter(Character)
    case up, down
  }

  private var before: termios

  /// Takes the terminal over; nil where standard input and output are none that can be one.
  init?() {
    var settings = termios()
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1,
      tcgetattr(STDIN_FILENO, &settings) == 0,
      let name = getenv("TERM").map({ String(cString: $0) }), name != "dumb", !name.isEmpty
    else { return nil }
    before = settings
    // Ctrl-C stays a signal. Ctrl-Z would leave a screen behind that is nobody's.
    settings.c_lflag &= ~tcflag_t(ECHO | ICANON)
    withUnsafeMutableBytes(of: &settings.c_cc) { characters in
      characters[Int(VMIN)] = 0
      characters[Int(VTIME)] = 0
      characters[Int(VSUSP)] = 0
    }
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
    // The other screen, no cursor, no wrapping at the right edge.
    Console.output("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l")
  }

  deinit {
    Console.output("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
  }

  /// Columns and lines, which may change at any time; 80 by 24 where the terminal does not tell.
  var size: (width: Int, height: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
    else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Puts a screen in the place of the last.
  ///
  /// A line is cleared before it is written: behind one that is as wide as the screen the cursor stands on its last
  /// character.
  func show(_ screen: String) {
    let lines = screen.split(separator: "\r\n", omittingEmptySubsequences: false)
    let cleared = lines.enumerated().map { index, line in
      (index + 1 == lines.count ? "\u{1B}[J" : "\u{1B}[K") + line
    }
    Console.output("\u{1B}[H" + cleared.joined(separator: "\r\n"))
  }

  /// The keys pressed within so many milliseconds; none when a signal came, as with another size.
  func keys(within milliseconds: Int32) -> [Key] {
    var entry = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    guard poll(&entry, 1, milliseconds) > 0 else { return [] }
    var buffer = [UInt8](repeating: 0, count: 64)
    let count = read(STDIN_FILENO, &buffer, buffer.count)
    guard count > 0 else { return [] }
    var keys: [Key] = []
    var rest = buffer[..<count]
    while let byte = rest.popFirst() {
      if byte == 0x1B, rest.count >= 2, rest.first == 0x5B || rest.first == 0x4F {
        let final = rest[rest.startIndex + 1]
        rest = rest.dropFirst(2)
        if final == 0x41 { keys.append(.up) }
        if final == 0x42 { keys.append(.down) }
      } else if byte < 0x80 {
        keys.append(.letter(Character(UnicodeScalar(byte))))
      }
    }
    return keys
  }
}
