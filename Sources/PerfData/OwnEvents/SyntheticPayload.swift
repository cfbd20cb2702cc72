#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A synthetic event whose raw payload is JSON.
public protocol SyntheticPayload: Codable, Sendable {
  /// The attribute under which it is written.
  static var event: SyntheticEvent { get }

  /// The raw payload: JSON, padded with spaces by `RecordBuilder` where alignment asks for it.
  ///
  /// It may be longer than a record: `SyntheticParts`.
  func encoded() throws(PerfDataError) -> [UInt8]
}

extension SyntheticPayload {
  /// As a JSON library writes it.
  public func encoded() throws(PerfDataError) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    let bytes: [UInt8]
    do { bytes = try [UInt8](encoder.encode(self)) } catch {
      throw PerfDataError(.notWritable("\(Self.event.rawValue): \(error)"))
    }
    return bytes
  }

  /// Reads a raw payload.
  public init(decoding raw: RawPayload) throws(PerfDataError) {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    var bytes = raw.bytes
    while let last = bytes.last, last == 0x20 || last == 0 { bytes.removeLast() }
    do { self = try decoder.decode(Self.self, from: Data(bytes)) } catch {
      throw PerfDataError(.malformed("\(Self.event.rawValue) payload is not readable: \(error)"))
    }
  }
}
