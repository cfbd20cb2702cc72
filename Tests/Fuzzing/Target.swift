// One input of libFuzzer: the reader must refuse it or read all of it. Compiled with Sources/PerfData into one module
// by `run`.

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
  guard let file = try? PerfDataFile(bytes: bytes) else { return 0 }
  var read = 0
  file.forEachRound { round in
    for record in round {
      read &+= file.bytes(of: record).count
      _ = file.mmap2(record)
      _ = file.comm(record)
      _ = file.task(record)
      _ = file.lost(record)
      _ = file.payload(of: record)
      _ = file.period(of: record)
      _ = file.userRegister(5, of: record)
      guard let sample = try? file.sample(record), let raw = sample.raw,
        let format = file.tracepoint(of: record)
      else { continue }
      for field in format.fields {
        _ = field.integer(in: raw)
        _ = field.string(in: raw)
      }
    }
  }
  let demands = file.attributes.indices.map { index -> SampleDemand in
    let attribute = file.attributes[index]
    guard let payload = file.fixedPayload(ofAttribute: index),
      let format = Int(exactly: attribute.config).flatMap({ file.features.tracepoints[$0] })
    else { return SampleDemand(.name) }
    let fields = format.fields.compactMap { IntegerField($0) }
    guard fields.count >= 3 else { return SampleDemand(.count) }
    guard index % 2 == 0 else {
      return SampleDemand(payload: payload, fields[0], fields[1], fields[2])
    }
    return SampleDemand(
      payload: payload, number: fields[0], result: fields[1],
      named: CallFilter { $0 % 2 == 0 ? Int64($0) : nil }, others: index % 4 == 1 ? .values : .count
    )
  }
  _ = file.forEachBatchAhead(demands) { batch in
    var lookedAt = OffsetSpan()
    for record in batch.records {
      if let offset = record.offset {
        lookedAt.note(offset)
        read &+= Int(file.record(at: offset).size)
      } else {
        read &+= Int(record.values.third)
      }
    }
    return lookedAt
  }
  _ = file.problems
  return 0
}
