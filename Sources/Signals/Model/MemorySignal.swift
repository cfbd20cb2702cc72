/// The memory footprint: anonymous, swapped and shared-memory pages, huge ones too.
package struct MemorySignal: Sendable, Equatable {
  /// A program's pools, caches and connections are filled by then, as a server's under load are (2.3 MB a minute in the
  /// first 5 s, 0.1 over 28): seconds, a choice.
  package static let warmUp = 30.0

  /// Highest footprint: of the readings, and of what the kernel's peak rose to by the end.
  package var peakFootprintBytes: UInt64
  /// What it was at least: in the rest that came after the last reading may be mapped files.
  package var leastPeakFootprintBytes: UInt64
  /// Whether it was higher, or may have been: it ended at a time after its last reading in which it could have grown.
  package var peakIsLeast = false
  /// Whether the kernel told the resident peak of its whole life, above which no footprint but of huge pages was.
  package var isPeakBounded = true
  /// Last footprint seen.
  package var endFootprintBytes: UInt64
  /// How long before its end that was, where it is too long to be the end's; else nil.
  package var unreadSecondsAtEnd: Double?
  /// Highest resident size.
  package var peakResidentBytes: UInt64
  /// Theil–Sen slope of the footprint, nil with too few samples. Of a program that was recorded while it warmed up it
  /// is that of the later half of what was recorded: the end of the curve, where what fills up once has filled up.
  package var growthBytesPerMinute: Double?
  /// Lower and upper bound of the slope at 95 %.
  package var growthInterval: [Double]?
  /// The slope of the half before; nil where the program had warmed up before, or nothing tells.
  package var earlierGrowthBytesPerMinute: Double?
  /// For how long the program had run by the last reading, without its first second; nil where nothing tells.
  package var secondsSinceStart: Double?
  /// Faults that read from a device.
  package var majorFaults: Int
  /// Other faults.
  package var minorFaults: Int
  /// Samples in order of time.
  package var samples: [MemorySample]
  /// Memory that was there for a moment only, largest first.
  package var spikes: [MemorySpike]
  /// Whether turns could be told and sampled.
  package var spikesMeasured: Bool

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  package init(
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
    leastPeakFootprintBytes = peakFootprintBytes
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
package struct MemorySample: Sendable, Equatable {
  /// Seconds from the start of the trace.
  package var time: Double
  /// Footprint.
  package var footprintBytes: UInt64
  /// Resident size.
  package var residentBytes: UInt64

  /// Makes the value from its parts; what is left out is zero, empty or unknown.
  package init(
    time: Double,
    footprintBytes: UInt64 = 0,
    residentBytes: UInt64 = 0
  ) {
    self.time = time
    self.footprintBytes = footprintBytes
    self.residentBytes = residentBytes
  }
}
