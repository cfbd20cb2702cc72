import Quantities
import Signals

/// Bluetooth, sound and other devices are to be held only while they are needed.
package enum AccessorySightingsRule: Rule {
  package static let metadata = RuleMetadata(
    id: "accessory-sightings", title: "Hold accessories only while needed", category: .cpu,
    guide: [Guide.reducePower, Guide.voip, Guide.responsible], signals: [.disk], unit: "s",
    measuredAs:
      "the longest time that a sound device (/dev/snd, /dev/dsp) or a Bluetooth line (/dev/rfcomm) "
      + "was open, or data "
      + "went through Bluetooth sockets, and how much of it was in background phases; whether it was needed is not "
      + "known, so there is no verdict. Sound through a "
      + "server (PipeWire, PulseAudio) and Bluetooth through BlueZ's D-Bus are held by those, and are not seen",
    advice:
      "Open the device when something plays or is to be exchanged and close it after: snd_pcm_close, "
      + "AVAudioSession.setActive(false), cancelPeripheralConnection. Let BlueZ's discovery run for seconds, "
      + "not all the time.",
    examples: [
      RuleExample("a sound device that is open all the time", .notApplicable, example),
      RuleExample(
        "no accessory", .notApplicable, SignalSet(durationSeconds: 60, disk: DiskSignal())),
    ])

  package static func evaluate(_ signals: SignalSet, _ scale: RuleScale) throws -> RuleOutcome {
    guard let longest = signals.accessories.first else {
      return .notApplicable(reason: "no sound device or Bluetooth socket was seen")
    }
    return .informative(
      reason: "whether it was needed is not known",
      finding: RuleFinding(
        fact: longest.seconds,
        displayValue: "\(longest.name) held for \(Figures.seconds(longest.seconds))",
        evidence: signals.accessories.prefix(5).map {
          Evidence(
            summary: "\($0.name): \(Figures.seconds($0.seconds))\(inBackground($0, signals))",
            value: $0.seconds, unit: "s", time: $0.start,
            path: $0.name.hasPrefix("/") ? $0.name : nil)
        }))
  }

  private static func inBackground(_ use: AccessoryUse, _ signals: SignalSet) -> String {
    let seconds = signals.phases.filter { $0.name == .background }.reduce(0.0) {
      $0 + max(0, min($1.end, use.start + use.seconds) - max($1.start, use.start))
    }
    return seconds > 0 ? ", \(Figures.seconds(seconds)) of it in the background" : ""
  }

  private static var example: SignalSet {
    var set = SignalSet(durationSeconds: 60, disk: DiskSignal())
    set.accessories = [AccessoryUse(name: "/dev/snd/pcmC0D0p", seconds: 58, start: 1)]
    return set
  }
}
