/// What a collector of OpenTelemetry's profiles answers (ExportProfilesServiceResponse).
package struct OTLPProfilesResponse {
  package private(set) var rejectedProfiles: Int64 = 0
  package private(set) var errorMessage = ""

  /// Nil where the bytes are none.
  package init?(_ bytes: [UInt8]) {
    guard let fields = ProtobufReader.fields(of: bytes[...]) else { return nil }
    for case (1, .bytes(let partial)) in fields {
      guard let success = ProtobufReader.fields(of: partial) else { return nil }
      for (number, value) in success {
        switch (number, value) {
        case (1, .number(let count)): rejectedProfiles = Int64(bitPattern: count)
        case (2, .bytes(let text)): errorMessage = String(decoding: text, as: UTF8.self)
        default: break
        }
      }
    }
  }
}
