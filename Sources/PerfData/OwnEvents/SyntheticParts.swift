/// A payload of a synthetic event that is longer than a record can hold, in several samples, one after another.
///
/// Each part begins with eight bytes that no payload begins with (JSON starts with a brace, the payload of a footprint
/// with a count of bytes). Then come its number from 0, how many there are, and how long it is, as little-endian 32-bit
/// words.
public enum SyntheticParts {
  static let mark = Array("LULLPART".utf8)
  private static let header = mark.count + 12
  private static let room = RecordBuilder.largestRawPayload - header

  /// The raw payloads of the samples that hold a payload; that itself where it fits one.
  public static func split(_ payload: [UInt8]) -> [[UInt8]] {
    guard payload.count > RecordBuilder.largestRawPayload else { return [payload] }
    let count = (payload.count + room - 1) / room
    return (0..<count).map { number in
      let part = payload[number * room..<min((number + 1) * room, payload.count)]
      var output = ByteBuilder()
      output.append(contentsOf: mark)
      output.append(UInt32(number))
      output.append(UInt32(count))
      output.append(UInt32(part.count))
      output.append(contentsOf: part)
      return output.bytes
    }
  }

  /// A part's number, how many there are, and its bytes; nil where the payload is whole.
  static func part(_ raw: RawPayload) -> (number: Int, count: Int, bytes: [UInt8])? {
    guard raw.count >= header, raw.bytes.starts(with: mark),
      let number = raw.unsignedInteger(at: 8, size: 4),
      let count = raw.unsignedInteger(at: 12, size: 4),
      let length = raw.unsignedInteger(at: 16, size: 4), header + Int(length) <= raw.count
    else { return nil }
    return (Int(number), Int(count), Array(raw.bytes[header..<header + Int(length)]))
  }
}

/// Puts the parts of payloads together again.
public struct SyntheticJoiner: Sendable {
  private var parts: [SyntheticEvent: [[UInt8]]] = [:]

  /// Begins with none.
  public init() {}

  /// The whole payload that a sample holds, or is the last part of; nil while parts are to come, or where one is
  /// missing.
  public mutating func add(_ raw: RawPayload, of event: SyntheticEvent) -> RawPayload? {
    guard let part = SyntheticParts.part(raw) else { return raw }
    var known = part.number == 0 ? [] : parts[event] ?? []
    parts[event] = nil
    guard known.count == part.number else { return nil }
    known.append(part.bytes)
    guard known.count < part.count else { return RawPayload(bytes: Array(known.joined())) }
    parts[event] = known
    return nil
  }
}
