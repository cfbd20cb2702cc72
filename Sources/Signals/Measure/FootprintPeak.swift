import PerfData
import TraceModel

/// The highest footprint of some readings, and between them.
///
/// The kernel keeps the peak of the resident size alone (VmHWM), in which mapped files count. What it rose to between
/// two readings was footprint as far as it is more than the mapped files at either.
enum FootprintPeak {
  static func of(_ readings: some Collection<FootprintSample>) -> UInt64 {
    var peak: UInt64 = 0
    var before: FootprintSample?
    for reading in readings {
      peak = max(peak, reading.footprint)
      if let before, reading.peakResident > before.peakResident {
        let files = max(before.file, reading.file)
        if reading.peakResident > files { peak = max(peak, reading.peakResident - files) }
      }
      before = reading
    }
    return peak
  }
}
