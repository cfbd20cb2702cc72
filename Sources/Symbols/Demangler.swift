import CDemangling
import Glibc

/// Turns linker names into readable ones through this process's own Swift runtime.
public enum Demangler {
  private static let maximumLength = 65_536

  /// The short form for display: no types of generic context, no module names.
  ///
  /// Parts of an asynchronous function come to the function. A name that is not mangled stays.
  public static func simplified(_ name: String) -> String {
    guard isMangled(name) else { return name }
    let source = sourceFunction(of: name)
    return call(source) { lull_demangle_simplified($0, $1) }.map(withContext)
      ?? call(source) { lull_demangle_full($0, $1) } ?? name
  }

  /// The runtime leaves out that a closure of a script's top level stands in its module.
  private static func withContext(_ name: String) -> String {
    name.hasSuffix(" in ") ? name + "top-level code" : name
  }

  /// The full form with modules and types.
  public static func full(_ name: String) -> String {
    // Of names in C++ there is one form.
    guard isSwift(name) else { return simplified(name) }
    let source = sourceFunction(of: name)
    return call(source) { lull_demangle_full($0, $1) }
      ?? call(source) { lull_demangle_simplified($0, $1) } ?? name
  }

  /// The function to which the time of `simplifiedName` is charged: closures count for theirs.
  public static func blamed(_ simplifiedName: String) -> String {
    var rest = Substring(simplifiedName)
    var wasStripped = true
    while wasStripped {
      wasStripped = false
      for prefix in [
        "implicit closure #", "closure #", "specialized ", "defer #", "partial apply for ",
      ]
      where rest.hasPrefix(prefix) {
        if prefix.hasSuffix("#") {
          guard let range = rest.firstRange(of: " in ") else { continue }
          rest = rest[range.upperBound...]
        } else {
          rest = rest.dropFirst(prefix.count)
        }
        wasStripped = true
      }
    }
    return String(rest)
  }

  /// Whether `name` is of a form that the runtime demangles.
  public static func isMangled(_ name: String) -> Bool {
    isSwift(name) || name.hasPrefix("_Z")
  }

  static func isSwift(_ name: String) -> Bool {
    ["$s", "_$s", "$S", "_$S", "@__swiftmacro_", "_T0", "$e"].contains { name.hasPrefix($0) }
  }

  /// The mangled name without what the compiler adds for parts and copies of a function.
  ///
  /// `TY` and `TQ` with an index are the parts of an asynchronous function; `.resume.0`, `.cold`
  /// and the like are LLVM's.
  static func sourceFunction(of name: String) -> String {
    guard isSwift(name) else { return name }
    var bytes = Array(name.utf8)
    if let dot = bytes.firstIndex(of: 0x2e) { bytes.removeSubrange(dot...) }
    while let length = asynchronousSuffix(bytes) { bytes.removeLast(length) }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func asynchronousSuffix(_ bytes: [UInt8]) -> Int? {
    guard bytes.last == 0x5f else { return nil }
    var index = bytes.count - 2
    while index >= 0, (0x30...0x39).contains(bytes[index]) { index -= 1 }
    guard index > 3, bytes[index] == 0x59 || bytes[index] == 0x51, bytes[index - 1] == 0x54 else {
      return nil
    }
    return bytes.count - index + 1
  }

  private static func call(
    _ name: String, _ function: (UnsafePointer<CChar>, Int) -> UnsafeMutablePointer<CChar>?
  ) -> String? {
    var copy = name
    return copy.withUTF8 { bytes -> String? in
      guard bytes.count <= maximumLength, let base = bytes.baseAddress else { return nil }
      return base.withMemoryRebound(to: CChar.self, capacity: bytes.count) { pointer in
        guard let text = function(pointer, bytes.count) else { return nil }
        defer { free(text) }
        let result = String(cString: text)
        return result.isEmpty || result == name ? nil : result
      }
    }
  }
}
