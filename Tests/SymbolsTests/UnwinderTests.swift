import Testing

@testable import Symbols

@Suite(.enabled(if: TestProgram.canRecord, "perf cannot record here"), .serialized)
struct `Unwinding recorded stacks` {
  @Test(arguments: [["-O"], ["-O", "-g"], ["-O", "-static-stdlib"]])
  func `a computing thread's chain is that of the source`(options: [String]) throws {
    let program = try TestProgram.compile(
      "chain", TestProgram.chainText, ["swiftc"] + options, suffix: "swift")
    let recorded = try RecordedProgram(program, event: ["-e", "cpu-clock", "-F", "400"])
    let analysis = Analysis()
    var inside = 0
    var complete = 0
    for moment in recorded.moments {
      let stack = analysis.unwinder.unwind(moment.stack, mappings: recorded.mappings)
      let names = analysis.names(stack, recorded.mappings)
      guard names.first == "innermost(_:)" else { continue }
      inside += 1
      let expected = ["innermost(_:)", "middle(_:)", "outermost(_:)", "main"]
      #expect(Array(names.prefix(4)) == expected)
      if stack.isComplete { complete += 1 }
      if names.count > 4 { #expect(stack.gapAt.allSatisfy { $0 > 4 }) }
    }
    #expect(inside > 20)
    #expect(complete == inside)
    #expect(analysis.symbolizer.problems.isEmpty)
  }

  @Test func `blocked threads show who called the blocking function`() throws {
    let recorded = try RecordedProgram(
      TestProgram.waits("-O"), event: ["-e", "sched:sched_switch"])
    let analysis = Analysis()
    var seen: [String: Int] = [:]
    for moment in recorded.moments {
      let stack = analysis.unwinder.unwind(moment.stack, mappings: recorded.mappings)
      let names = analysis.names(stack, recorded.mappings)
      for (inner, outer) in [
        ("sleeps()", "callsSleeps(_:)"), ("readsPipe(_:)", "callsReadsPipe(_:)"),
        ("waitsForSemaphore(_:)", "callsSemaphore(_:)"),
      ] {
        guard let index = names.firstIndex(of: inner) else { continue }
        seen[inner, default: 0] += 1
        #expect(index > 0)
        #expect(names.dropFirst(index + 1).first == outer)
        #expect(names.dropFirst(index + 2).first == "main")
        #expect(stack.isComplete)
      }
    }
    #expect((seen["sleeps()"] ?? 0) >= 5)
    #expect((seen["readsPipe(_:)"] ?? 0) >= 4)
    #expect((seen["waitsForSemaphore(_:)"] ?? 0) >= 4)
  }

  @Test func `a signal handler's stack goes on with what it interrupted`() throws {
    let recorded = try RecordedProgram(
      TestProgram.signals(), event: ["-e", "cpu-clock", "-F", "200"], stackBytes: 4096)
    let analysis = Analysis()
    var found = 0
    for moment in recorded.moments {
      let stack = analysis.unwinder.unwind(moment.stack, mappings: recorded.mappings)
      let names = analysis.names(stack, recorded.mappings)
      guard names.first == "burn" else { continue }
      found += 1
      #expect(names.dropFirst().first == "handler")
      #expect(names.contains("interrupted"), "\(names)")
      #expect(names.contains("main"))
      #expect(stack.isComplete)
    }
    #expect(found > 10)
  }

  /// The kernel's callchain is imitated from a large copy, and the unwinder gets a small one.
  @Test func `a short copy is joined with the kernel's callchain`() throws {
    let program = try TestProgram.compile(
      "chain", TestProgram.chainText,
      ["swiftc", "-O", "-Xcc", "-fno-omit-frame-pointer"]
        + ["-Xllvm", "-frame-pointer=all"], suffix: "swift")
    let recorded = try RecordedProgram(program, event: ["-e", "cpu-clock", "-F", "400"])
    let analysis = Analysis()
    var joined = 0
    for moment in recorded.moments {
      var sample = moment.stack
      let whole = analysis.unwinder.unwind(sample, mappings: recorded.mappings)
      let names = analysis.names(whole, recorded.mappings)
      guard names.first == "innermost(_:)" else { continue }
      var chain = [sample.instructionPointer]
      var pointer = sample.framePointer
      let state = UnwindState(sample)
      while let address = state.load(pointer &+ 8), let next = state.load(pointer) {
        chain.append(address)
        guard next > pointer else { break }
        pointer = next
      }
      for length in [0, 8, 16, 24, 40, 64, 96] {
        sample.stack = Array(moment.stack.stack.prefix(length))
        sample.callchain = chain
        let short = analysis.unwinder.unwind(sample, mappings: recorded.mappings)
        let shortNames = analysis.names(short, recorded.mappings)
        // Every frame is a true one, in order; what is left out is marked.
        var rest = names[...]
        for (index, name) in shortNames.enumerated() {
          let place = try #require(rest.firstIndex(of: name), "\(shortNames) of \(names)")
          #expect(place == rest.startIndex || short.gapAt.contains(index), "\(shortNames)")
          rest = names[(place + 1)...]
        }
        #expect(rest.isEmpty || short.gapAt.contains(shortNames.count), "\(shortNames)")
        if short.addresses.count == whole.addresses.count { joined += 1 }
      }
    }
    #expect(joined > 0)
  }
}

@Suite struct `Unwinding without files` {
  @Test func `frames of unknown modules are marked and nothing is made up`() {
    var mappings = MappingTable()
    mappings.insert(ModuleMapping(start: 0x1000, end: 0x2000, fileOffset: 0, path: "[vdso]"))
    let sample = UserStackSample(
      instructionPointer: 0x1010, stackPointer: 0x8000, framePointer: 0,
      stack: [UInt8](repeating: 0xff, count: 64), callchain: [0x1010, 0xdead_beef])
    let stack = Unwinder().unwind(sample, mappings: mappings)
    #expect(stack.addresses == [0x1010])
    #expect(stack.gapAt == [1])
    #expect(!stack.isComplete)
  }

  @Test func `a loop of frame pointers ends`() {
    var mappings = MappingTable()
    mappings.insert(ModuleMapping(start: 0x1000, end: 0x2000, fileOffset: 0, path: "[vdso]"))
    var stack = [UInt8](repeating: 0, count: 64)
    stack.withUnsafeMutableBytes {
      $0.storeBytes(of: 0x8000, toByteOffset: 0, as: UInt64.self)
      $0.storeBytes(of: 0x1020, toByteOffset: 8, as: UInt64.self)
    }
    let sample = UserStackSample(
      instructionPointer: 0x1010, stackPointer: 0x8000, framePointer: 0x8000, stack: stack)
    let unwound = Unwinder().unwind(sample, mappings: mappings)
    #expect(unwound.addresses == [0x1010, 0x101f])
    #expect(unwound.gapAt == [1, 2])
  }

  @Test func `empty samples give one frame`() {
    let sample = UserStackSample(instructionPointer: 0, stackPointer: .max, framePointer: .max)
    #expect(Unwinder().unwind(sample, mappings: MappingTable()).addresses == [0])
  }
}
