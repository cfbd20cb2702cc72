import Dispatch
import Foundation

/// Writes forty lines, then waits six seconds for news.
@main struct Main {
  static func main() throws {
    let path = CommandLine.arguments.dropFirst().first ?? "journal.txt"
    let journal = try Journal(path: path)
    for number in 1...40 { try journal.write("line \(number)") }
    try journal.close()
    let news = News()
    DispatchQueue.global().asyncAfter(deadline: .now() + 6) { news.arrive() }
    news.wait()
  }
}
