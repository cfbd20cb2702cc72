import PerfData

/// Where gathered records go: a file, or memory.
protocol RecordTarget: AnyObject {
  /// Appends whole records.
  func append(_ bytes: UnsafeRawBufferPointer) throws(PerfDataError)

  /// Bytes of records so far.
  var dataBytes: UInt64 { get }
}

extension PerfDataWriter: RecordTarget {}

/// Records in memory.
final class MemoryTarget: RecordTarget {
  private(set) var bytes: [UInt8] = []

  var dataBytes: UInt64 { UInt64(bytes.count) }

  func append(_ bytes: UnsafeRawBufferPointer) { self.bytes += bytes }
}
