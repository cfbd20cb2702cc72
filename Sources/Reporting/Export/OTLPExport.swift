import ExportFormats
import Quantities
import SwiftProtobuf
import TraceModel

/// Stacks as OpenTelemetry's collectors take them: a profile of CPU time and one of waits of the subject.
///
/// The bytes are a `ProfilesData` message of profiles.proto (v1development, opentelemetry-proto 1.9 and later), which
/// has the same fields as a request to a collector (`ExportProfilesServiceRequest`). Attributes have the names of
/// OpenTelemetry's semantic conventions; `lull.wait.cause` is Lull's own.
package enum OTLPExport {
  /// Nil where there is no stack.
  ///
  /// - Parameter version: of the program that writes it.
  /// - Throws: when the message is too large for protobuf (2 GiB).
  package static func render(_ trace: Trace, version: String) throws -> [UInt8]? {
    let sums = StackSums(trace)
    guard !sums.isEmpty else { return nil }
    var dictionary = OTLPDictionary(trace.stacks)
    var profiles: [OTLPProfile] = []
    if !sums.running.isEmpty {
      var samples = Samples()
      for (place, sum) in sums.running.sorted(by: { $0.key < $1.key }) {
        samples.add(sum.value, dictionary.stack(place.stack), dictionary.thread(place.tid, sums))
      }
      let (name, unit) = trace.sharesEvent.map { ($0.name, "count") } ?? ("cpu", "nanoseconds")
      profiles.append(profile(of: trace, name, unit, samples, &dictionary))
    }
    if !sums.blocked.isEmpty {
      var samples = Samples()
      for (place, causes) in sums.blocked.sorted(by: { $0.key < $1.key }) {
        for (cause, time) in causes.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
          let attributes =
            dictionary.thread(place.tid, sums)
            + [dictionary.attribute("lull.wait.cause", .string(cause.rawValue))]
          samples.add(time, dictionary.stack(place.stack), attributes)
        }
      }
      profiles.append(profile(of: trace, "off_cpu", "nanoseconds", samples, &dictionary))
    }
    var scope = OTLPScopeProfiles()
    scope.scope.name = "lull"
    scope.scope.version = version
    scope.profiles = profiles
    var resource = OTLPResourceProfiles()
    resource.resource.attributes = attributes(of: trace)
    resource.scopeProfiles = [scope]
    var data = OTLPProfilesData()
    data.resourceProfiles = [resource]
    data.dictionary = dictionary.table
    return try data.serializedBytes()
  }

  /// Values by stack and attributes, each pair of which a profile has once.
  private struct Samples {
    private struct Identity: Hashable {
      var stack: Int32
      var attributes: [Int32]
    }

    private(set) var rows: [OTLPSample] = []
    private var places: [Identity: Int] = [:]

    mutating func add(_ value: Int64, _ stack: Int32, _ attributes: [Int32]) {
      let identity = Identity(stack: stack, attributes: attributes)
      if let place = places[identity] {
        rows[place].values[0] &+= value
        return
      }
      var row = OTLPSample()
      row.stackIndex = stack
      row.attributeIndices = attributes
      row.values = [value]
      places[identity] = rows.count
      rows.append(row)
    }
  }

  private static func profile(
    of trace: Trace, _ name: String, _ unit: String, _ samples: Samples,
    _ dictionary: inout OTLPDictionary
  ) -> OTLPProfile {
    var profile = OTLPProfile()
    profile.sampleType.typeStrindex = dictionary.string(name)
    profile.sampleType.unitStrindex = dictionary.string(unit)
    profile.samples = samples.rows
    profile.timeUnixNano = trace.metadata.startWallNanoseconds ?? 0
    profile.durationNano = UInt64(clamping: (trace.end - trace.start).nanoseconds)
    return profile
  }

  private static func attributes(of trace: Trace) -> [OTLPKeyValue] {
    let subject = trace.subject
    let values: [(String, OTLPDictionary.Value?)] = [
      ("service.name", .string(subject.name)),
      ("process.pid", .number(Int64(subject.pid))),
      ("process.executable.name", .string(subject.name)),
      ("process.executable.path", subject.executable.map { .string($0) }),
      ("host.name", trace.metadata.hostname.map { .string($0) }),
      ("os.type", .string("linux")),
    ]
    return values.compactMap { key, value in
      guard let value else { return nil }
      var pair = OTLPKeyValue()
      pair.key = key
      pair.value = value.encoded
      return pair
    }
  }
}

extension OTLPExport {
  /// What a collector that answered with success did not take, or warns of; nil where it took all.
  package static func refused(by answer: [UInt8]) -> String? {
    guard let response = try? OTLPProfilesResponse(serializedBytes: answer) else { return nil }
    let part = response.partialSuccess
    guard part.rejectedProfiles > 0 || !part.errorMessage.isEmpty else { return nil }
    let text = part.errorMessage.isEmpty ? "it gives no reason" : part.errorMessage
    return part.rejectedProfiles > 0 ? "\(part.rejectedProfiles) refused: \(text)" : text
  }
}
