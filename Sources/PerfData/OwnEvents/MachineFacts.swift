/// What a machine says of itself that tells what its work costs.
public struct MachineFacts: Codable, Sendable, Hashable {
  /// A state in which a core waits for work, over all cores (/sys/devices/system/cpu/cpu*/cpuidle).
  public struct IdleState: Codable, Sendable, Hashable {
    /// The kernel's name for it, like `C6`.
    public var name: String
    /// How long it takes to leave it at most, in microseconds.
    public var latencyMicroseconds: Double
    /// For how long a core must stay in it for that to pay, in microseconds.
    public var residencyMicroseconds: Double
    /// How often cores entered it while it was recorded.
    public var entries: UInt64

    /// Makes a state.
    public init(
      name: String, latencyMicroseconds: Double, residencyMicroseconds: Double, entries: UInt64 = 0
    ) {
      self.name = name
      self.latencyMicroseconds = latencyMicroseconds
      self.residencyMicroseconds = residencyMicroseconds
      self.entries = entries
    }
  }

  /// The type of its case (SMBIOS 3.3.0, 7.4.1); nil where no firmware tells.
  public var chassis: Int?
  /// What its device tree calls it, like `Raspberry Pi 4 Model B`.
  public var model: String?
  /// Whether its processors are another machine's.
  public var isVirtual: Bool?
  /// Whether it has a battery.
  public var hasBattery: Bool?
  /// Whether its disks turn; nil where it has none that says.
  public var rotates: Bool?
  /// The idle states of its cores; nil where the kernel tells none.
  public var idleStates: [IdleState]?

  /// Knows nothing.
  public init() {}
}
