/// Something of the machine that tells energy or power: a counter, a battery, a rail.
protocol PowerMeter {
  /// Under which its energy is written.
  var name: String { get }

  /// Joules that were drawn since the first reading, by now; nil where it cannot be read.
  mutating func joules(now: UInt64) -> Double?
}

/// Adds up a power that is read now and then: between two readings it is taken for even.
struct PowerIntegral {
  private var last: (time: UInt64, watts: Double)?
  private var joules = 0.0

  mutating func add(_ watts: Double, at time: UInt64) -> Double {
    if let last, time > last.time {
      joules += (last.watts + watts) / 2 * Double(time - last.time) / 1e9
    }
    last = (time, watts)
    return joules
  }
}

/// A running average power limit's zone (/sys/class/powercap/*/energy_uj, Linux 3.13), which counts microjoules.
struct PowercapMeter: PowerMeter {
  let name: String
  private let path: String
  /// The count after which it begins again at zero.
  private let range: Double
  private var last: Double?
  private var microjoules = 0.0

  private init(name: String, path: String) {
    self.name = name
    self.path = path
    range = Double(KernelFile.integer(path + "/max_energy_range_uj") ?? 0)
  }

  mutating func joules(now: UInt64) -> Double? {
    guard let count = KernelFile.integer(path + "/energy_uj").map(Double.init) else { return nil }
    if let last { microjoules += count >= last ? count - last : count + range - last }
    last = count
    return microjoules / 1e6
  }

  /// The zones: packages, their parts as `package-0/core`, the platform as `psys`.
  static func all(root: String) -> [PowercapMeter] {
    let folder = root + "/sys/class/powercap"
    func name(_ zone: String) -> String? {
      KernelFile.text("\(folder)/\(zone)/name").map { String($0.prefix { $0 != "\n" }) }
    }
    return KernelFile.names(in: folder).compactMap { zone in
      // `intel-rapl:0:1` is the second part of the first package. The MMIO interface counts the same packages again.
      let parts = zone.split(separator: ":")
      guard parts.count >= 2, parts[0] == "intel-rapl", let own = name(zone) else { return nil }
      let package = parts.count > 2 ? name(parts.prefix(2).joined(separator: ":")) : nil
      return PowercapMeter(
        name: "powercap:" + (package.map { $0 + "/" } ?? "") + own, path: "\(folder)/\(zone)")
    }
  }
}

/// A battery that is being discharged (/sys/class/power_supply): what it gives is what the machine draws.
struct BatteryMeter: PowerMeter {
  let name: String
  private let path: String
  private var integral = PowerIntegral()
  private var first: Double?

  private init(name: String, path: String) {
    self.name = name
    self.path = path
  }

  mutating func joules(now: UInt64) -> Double? {
    // On the mains it tells nothing of what is drawn.
    guard status == "Discharging" else { return nil }
    if let watts { return integral.add(watts, at: now) }
    guard let charge else { return nil }
    if first == nil { first = charge }
    return (first ?? charge) - charge
  }

  /// What is in it, in joules: of microwatt hours.
  private var charge: Double? {
    KernelFile.integer(path + "/energy_now").map { Double($0) * 3600 / 1e6 }
  }

  private var status: String? {
    KernelFile.text(path + "/status").map { String($0.prefix { $0 != "\n" }) }
  }

  /// Microwatts, or microamperes times microvolts; some drivers have them below zero while discharging.
  private var watts: Double? {
    if let power = KernelFile.integer(path + "/power_now") { return abs(Double(power)) / 1e6 }
    guard let current = KernelFile.integer(path + "/current_now"),
      let voltage = KernelFile.integer(path + "/voltage_now")
    else { return nil }
    return abs(Double(current)) * Double(voltage) / 1e12
  }

  static func all(root: String) -> [BatteryMeter] {
    let folder = root + "/sys/class/power_supply"
    return KernelFile.names(in: folder).compactMap { supply in
      let meter = BatteryMeter(name: "battery:" + supply, path: "\(folder)/\(supply)")
      guard KernelFile.text(meter.path + "/type")?.hasPrefix("Battery") == true,
        KernelFile.text(meter.path + "/scope")?.hasPrefix("Device") != true,
        meter.watts != nil || meter.charge != nil
      else { return nil }
      return meter
    }
  }
}

/// A rail that a sensor on the board measures (/sys/class/hwmon): its energy, its power, or its current and voltage, as
/// the INA219 and its like tell them.
struct RailMeter: PowerMeter {
  private enum Reading {
    /// energyN_input, microjoules.
    case energy
    /// powerN_input, microwatts.
    case power
    /// currN_input, milliamperes, times inN_input, millivolts.
    case product
  }

  let name: String
  private let reading: Reading
  private let path: String
  private let channel: String
  private var first: Double?
  private var integral = PowerIntegral()

  mutating func joules(now: UInt64) -> Double? {
    func input(_ kind: String) -> Double? {
      KernelFile.integer("\(path)/\(kind)\(channel)_input").map(Double.init)
    }
    switch reading {
    case .energy:
      guard let count = input("energy") else { return nil }
      if first == nil { first = count }
      return (count - (first ?? count)) / 1e6
    case .power:
      return input("power").map { integral.add($0 / 1e6, at: now) }
    case .product:
      guard let current = input("curr"), let voltage = input("in") else { return nil }
      return integral.add(current * voltage / 1e6, at: now)
    }
  }

  static func all(root: String) -> [RailMeter] {
    let folder = root + "/sys/class/hwmon"
    return KernelFile.names(in: folder).flatMap { device -> [RailMeter] in
      let path = "\(folder)/\(device)"
      let chip = KernelFile.text(path + "/name").map { String($0.prefix { $0 != "\n" }) } ?? device
      let files = Set(KernelFile.names(in: path))
      var meters: [RailMeter] = []
      func add(_ reading: Reading, _ kind: String, besides: [String]) {
        for file in files.sorted() where file.hasPrefix(kind) && file.hasSuffix("_input") {
          let channel = String(file.dropFirst(kind.count).dropLast("_input".count))
          guard !channel.isEmpty, channel.allSatisfy(\.isNumber),
            !besides.contains(where: { files.contains("\($0)\(channel)_input") })
          else { continue }
          let label = KernelFile.text("\(path)/\(kind)\(channel)_label").map {
            String($0.prefix { $0 != "\n" })
          }
          meters.append(
            RailMeter(
              name: "hwmon:\(chip)/\(label ?? channel)", reading: reading, path: path,
              channel: channel))
        }
      }
      add(.energy, "energy", besides: [])
      add(.power, "power", besides: ["energy"])
      // The voltage of the same number is that of the rail the current flows on.
      add(.product, "curr", besides: ["energy", "power"])
      return meters.filter {
        $0.reading != .product || files.contains("in\($0.channel)_input")
      }
    }
  }
}
