import Glibc

/// The recorder's own environment and arguments, byte by byte: what it hands on need not be UTF-8, whose repair would
/// give a program other words than it was called with.
struct InheritedWords {
  /// A string of the environment; without a name where there is no `=` in it.
  private struct Variable {
    var text: UnsafeMutablePointer<CChar>
    var name: String?
    var value = ""

    init(_ text: UnsafeMutablePointer<CChar>) {
      self.text = text
      guard let equals = strchr(text, Int32(UInt8(ascii: "="))) else { return }
      let length = equals - text
      name = String(
        decoding: UnsafeRawBufferPointer(start: text, count: length), as: UTF8.self)
      value = String(cString: equals + 1)
    }
  }

  private var environment: [Variable] = []
  private var arguments: [UnsafeMutablePointer<CChar>] = []

  init() {
    self.init(environment: environ, arguments: CommandLine.unsafeArgv)
  }

  /// Both end with a null pointer.
  init(
    environment: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>,
    arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  ) {
    var entry = environment
    while let text = entry.pointee {
      self.environment.append(Variable(text))
      entry += 1
    }
    entry = arguments
    while let text = entry.pointee {
      self.arguments.append(text)
      entry += 1
    }
  }

  /// The environment as text; of two of a name the first, as the C library has it.
  var variables: [String: String] {
    Dictionary(
      environment.compactMap { variable in variable.name.map { ($0, variable.value) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// Copies of the words of a command, as they were given if they are the last of the recorder's own.
  func copies(of command: [String]) -> [UnsafeMutablePointer<CChar>?] {
    let own = arguments.suffix(command.count)
    let isOwn =
      own.count == command.count
      && zip(own, command).allSatisfy { String(cString: $0).utf8.elementsEqual($1.utf8) }
    return isOwn ? own.map { strdup($0) } : command.map { strdup($0) }
  }

  /// Copies of an environment's strings: those that are as here unchanged and in their order, then the others.
  func copies(of wanted: [String: String]) -> [UnsafeMutablePointer<CChar>?] {
    let own = variables
    var others = wanted
    var result: [UnsafeMutablePointer<CChar>?] = []
    for variable in environment {
      if let name = variable.name {
        guard let value = wanted[name], let present = own[name],
          value.utf8.elementsEqual(present.utf8)
        else { continue }
        others[name] = nil
      }
      result.append(strdup(variable.text))
    }
    return result + others.sorted { $0.key < $1.key }.map { strdup("\($0.key)=\($0.value)") }
  }
}
