import PerfData
import TraceModel

/// The highest footprint of some readings, and between them.
///
/// The kernel keeps the peak of the resident size alone (VmHWM), in which mapped files count. What it rose to between
/// two readings was footprint as far as it is more than the mapped files at either. Huge pages do not count in it:
/// those held at both were held meanwhile.
enum FootprintPeak {
  /// What a program loads of its libraries is less, a choice.
  private static let leastRise: UInt64 = 32 << 20

  /// `atEnd` is the kernel's peak as the process ended, which may have risen after the last reading; what files it had
  /// mapped then is not known, and taken to be what it had.
  static func of(_ readings: some Collection<FootprintSample>, atEnd: UInt64? = nil) -> UInt64 {
    var peak: UInt64 = 0
    var before: FootprintSample?
    for reading in readings {
      peak = max(peak, reading.footprint)
      if let before, reading.peakResident > before.peakResident {
        let files = max(before.file, reading.file)
        if reading.peakResident > files {
          let huge = min(before.huge, reading.huge)
          peak = max(peak, reading.peakResident - files + huge)
        }
      }
      before = reading
    }
    if let before, let atEnd, atEnd > max(before.peakResident + leastRise, before.file) {
      peak = max(peak, atEnd - before.file + before.huge)
    }
    return peak
  }
}
