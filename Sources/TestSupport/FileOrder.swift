import PerfData

extension PerfDataFile {
  /// All whole records as they stand in the file.
  package var recordsInFileOrder: [RecordEntry] {
    orderedRecords().sorted { $0.offset < $1.offset }
  }
}
