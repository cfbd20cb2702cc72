/// Build ids: the identity of the contents of an ELF file.
public enum BuildID {
  /// The build id of the ELF file at `path`, or nil if there is no such file or no id.
  public static func read(path: String) -> [UInt8]? {
    (try? ModuleReader(path: path))?.buildID
  }

  /// The id as lower-case hexadecimal text.
  public static func text(_ buildID: [UInt8]) -> String {
    let digits = Array("0123456789abcdef")
    return String(buildID.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }
}
