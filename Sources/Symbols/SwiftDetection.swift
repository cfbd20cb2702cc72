import CElf

/// Tells Swift programs from others.
public enum SwiftDetection {
  /// Whether a process runs Swift code.
  ///
  /// It does if the runtime is among the mapped files, or linked into the executable.
  public static func isSwift(executablePath: String, mappedPaths: [String]) -> Bool {
    let mapsRuntime = mappedPaths.contains { path in
      (path.split(separator: "/").last ?? "").hasPrefix("libswiftCore.so")
    }
    if mapsRuntime { return true }
    guard let reader = try? ModuleReader(path: executablePath) else { return false }
    return reader.hasSection(prefix: "swift5_")
      || reader.neededLibraries.contains { $0.hasPrefix("libswiftCore.so") }
  }

  /// Version of the compiler, such as "6.3.1", from the debug information; nil without that.
  public static func swiftVersion(executablePath: String) -> String? {
    guard let reader = try? ModuleReader(path: executablePath) else { return nil }
    let hasDebugInformation = reader.section(".debug_info") != nil
    let source = hasDebugInformation ? reader : DebugFile.find(for: reader)
    guard let dwarf = source?.dwarf() else { return nil }
    var unit: OpaquePointer?
    for _ in 0..<ModuleReader.Limit.units {
      var next: OpaquePointer?
      var die = Dwarf_Die()
      guard libdw.dwarf_get_units(dwarf, unit, &next, nil, nil, &die, nil) == 0, let next else {
        return nil
      }
      unit = next
      guard libdw.dwarf_tag(&die) != 0, libdw.dwarf_srclang(&die) == 30,
        let producer = ModuleReader.string(&die, UInt32(DW_AT_producer)),
        let version = version(inProducer: producer)
      else { continue }
      return version
    }
    return nil
  }

  /// The version in a text such as "Swift version 6.3.1 (swift-6.3.1-RELEASE)".
  static func version(inProducer producer: String) -> String? {
    guard let range = producer.firstRange(of: "Swift version ") else { return nil }
    let version = producer[range.upperBound...].prefix { $0 == "." || $0.isNumber || $0 == "-" }
    return version.isEmpty ? nil : String(version)
  }
}
