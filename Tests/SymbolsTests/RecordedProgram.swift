import Foundation
import PerfData

@testable import Symbols

/// Samples of a program that ran under perf, with its mappings.
struct RecordedProgram {
  struct Moment {
    var tid: Int32
    var stack: UserStackSample
  }

  var moments: [Moment] = []
  var mappings = MappingTable()

  init(_ path: String, event: [String], stackBytes: Int = 1024) throws {
    let output = "\(TestProgram.directory)/\(UUID().uuidString).data"
    defer { try? FileManager.default.removeItem(atPath: output) }
    try TestProgram.run(
      ["perf", "record", "-q"] + event
        + ["--call-graph", "dwarf,\(stackBytes)", "-o", output, path])
    let file = try PerfDataFile(path: output)
    mappings.executablePath = path
    for record in file.orderedRecords() {
      if let mapping = file.mmap2(record), mapping.pid > 0 {
        mappings.insert(
          ModuleMapping(
            start: mapping.start, end: mapping.start + mapping.length,
            fileOffset: mapping.fileOffset, path: mapping.path, buildID: mapping.buildID))
      } else if record.type == RecordType.sample {
        let sample = try file.sample(record)
        guard let registers = sample.userRegisters,
          let stack = UserStackSample(
            registers: registers.values, registerMask: registers.mask, stack: sample.userStack,
            callchain: [])
        else { continue }
        moments.append(Moment(tid: sample.tid, stack: stack))
      }
    }
  }
}

/// The unwinder and the symbolizer over the same modules.
struct Analysis {
  let modules = ModuleCache()
  let unwinder: Unwinder
  let symbolizer: Symbolizer

  init() {
    unwinder = Unwinder(modules: modules)
    symbolizer = Symbolizer(modules: modules)
  }

  func names(_ stack: UnwoundStack, _ mappings: MappingTable) -> [String] {
    stack.addresses.map { address in
      symbolizer.resolve(address: address, in: mappings).last?.function ?? "?"
    }
  }
}
