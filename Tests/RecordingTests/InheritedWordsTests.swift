import Glibc
import Testing

@testable import Recording

@Suite struct InheritedWordsTests {
  /// What programs would be given, of such words of the recorder's own.
  private func handedOn<Result>(
    environment: [[UInt8]] = [], arguments: [[UInt8]] = [], _ body: (InheritedWords) -> Result
  ) -> Result {
    func copies(_ words: [[UInt8]]) -> [UnsafeMutablePointer<CChar>?] {
      words.map { word in (word + [0]).withUnsafeBytes { strdup($0.baseAddress!) } } + [nil]
    }
    var (environment, arguments) = (copies(environment), copies(arguments))
    defer { for text in environment + arguments { free(text) } }
    return environment.withUnsafeMutableBufferPointer { environment in
      arguments.withUnsafeMutableBufferPointer { arguments in
        body(
          InheritedWords(
            environment: environment.baseAddress!, arguments: arguments.baseAddress!))
      }
    }
  }

  private func bytes(_ copies: [UnsafeMutablePointer<CChar>?]) -> [[UInt8]] {
    copies.compactMap { $0 }.map { text in
      defer { free(text) }
      return Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
    }
  }

  private let odd: [[UInt8]] = [
    Array("B=1".utf8), [0x41, 0x3d, 0xff, 0xfe], Array("B=2".utf8), Array("without".utf8),
    Array("=x".utf8), [0xc3, 0x28, 0x3d, 0x71], Array("EMPTY=".utf8), Array("PATH=/bin".utf8),
  ]

  @Test func `an environment is handed on as it is, byte by byte and in its order`() {
    handedOn(environment: odd) { own in
      #expect(own.variables["B"] == "1" && own.variables["EMPTY"] == "")
      #expect(bytes(own.copies(of: own.variables)) == odd)
    }
  }

  @Test func `what is to be otherwise is, and what is not wanted is left out`() {
    handedOn(environment: odd) { own in
      var wanted = own.variables
      wanted["PATH"] = "/usr/bin"
      wanted["NEW"] = "n"
      wanted["B"] = nil
      #expect(
        bytes(own.copies(of: wanted))
          == [1, 3, 4, 5, 6].map { odd[$0] } + ["NEW=n", "PATH=/usr/bin"].map { Array($0.utf8) })
    }
  }

  @Test func `a command has the words that the recorder was given`() {
    let words: [[UInt8]] = [[0x61, 0xff], [], [0xe9]]
    let repaired = words.map { String(decoding: $0, as: UTF8.self) }
    handedOn(arguments: [Array("record".utf8), Array("--".utf8)] + words) { own in
      #expect(bytes(own.copies(of: repaired)) == words)
      // A command of somebody else's.
      #expect(bytes(own.copies(of: ["x", "y"])) == [Array("x".utf8), Array("y".utf8)])
    }
  }
}
