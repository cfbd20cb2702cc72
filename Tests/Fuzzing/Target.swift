// One input of libFuzzer: the reader must refuse it or read all of it. Compiled with Sources/PerfData into one module by `run`.

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
  _ = file.problems
  return 0
}
