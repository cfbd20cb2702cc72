/// The memory footprint: anonymous, swapped and shared-memory pages.
public struct MemorySignal: Sendable, Hashable, Codable {
  /// Highest footprint seen.
  public var peakFootprintBytes: UInt64
  /// Last footprint seen.
  public var endFootprintBytes: UInt64
  /// Highest resident size.
  public var peakResidentBytes: UInt64
  /// Theil–Sen slope of the footprint, nil with too few samples.
  public var growthBytesPerMinute: Double?
  /// Lower and upper bound of the slope at 95 %.
  public var growthInterval: [Double]?
  /// Faults that read from a device.
  public var majorFaults: Int
  /// Other faults.
  public var minorFaults: Int
  /// Samples in order of time.
  public var samples: [MemorySample]
  /// Memory that was there for a moment only, largest first.
  public var spikes: [MemorySpike]
  /// Whether turns could be told and sampled.
  public var spikesMeasured: Bool

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  public init(
    peakFootprintBytes: UInt64 = 0,
    endFootprintBytes: UInt64 = 0,
    peakResidentBytes: UInt64 = 0,
    growthBytesPerMinute: Double? = nil,
    growthInterval: [Double]? = nil,
    majorFaults: Int = 0,
    minorFaults: Int = 0,
    samples: [MemorySample] = [],
    spikes: [MemorySpike] = [],
    spikesMeasured: Bool = false
  ) {
    self.peakFootprintBytes = peakFootprintBytes
    self.endFootprintBytes = endFootprintBytes
    self.peakResidentBytes = peakResidentBytes
    self.growthBytesPerMinute = growthBytesPerMinute
    self.growthInterval = growthInterval
    self.majorFaults = majorFaults
    self.minorFaults = minorFaults
    self.samples = samples
    self.spikes = spikes
    self.spikesMeasured = spikesMeasured
  }
}

/// The footprint at one time.
public struct MemorySample: Sendable, Hashable, Codable {
  /// Seconds from the start of the trace.
  public var time: Double
  /// Footprint.
  public var footprintBytes: UInt64
  /// Resident size.
  public var residentBytes: UInt64

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  public init(
    time: Double,
    footprintBytes: UInt64 = 0,
    residentBytes: UInt64 = 0
  ) {
    self.time = time
    self.footprintBytes = footprintBytes
    self.residentBytes = residentBytes
  }
}
