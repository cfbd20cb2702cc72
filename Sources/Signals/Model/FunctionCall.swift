/// What system calls of one kind a function made, and how long it waited in them.
package struct FunctionCall: Sendable, Codable, Equatable {
  /// Demangled name of the program's innermost function, or module and offset where there is none.
  package var function: String
  /// Path of the library or executable.
  package var module: String
  /// Source file of the line that waited longest, where line tables were found.
  package var file: String?
  /// That line.
  package var line: Int?
  /// The call's name; `write`, `sync`, `send`, `receive` and `read` stand for all calls that do so.
  package var call: String
  /// All calls, where each was recorded: writes to files, syncs, sends. Nil for others, of which those that waited are
  /// known.
  package var calls: Double?
  /// How often a thread waited in it.
  package var waits: Int
  /// How long it waited in it.
  package var seconds: Double
}
