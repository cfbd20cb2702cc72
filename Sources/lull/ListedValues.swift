import ArgumentParser

extension CompletionKind {
  /// The values that an option takes, for a shell to complete.
  static func values<Value: CaseIterable & RawRepresentable>(_: Value.Type) -> CompletionKind
  where Value.RawValue == String {
    .list(Value.allCases.map(\.rawValue))
  }
}
