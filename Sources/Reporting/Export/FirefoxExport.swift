import Signals
import TraceModel

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The subject for profiler.firefox.com: stacks, hangs and bursts as markers, footprint and radio energy as counters.
package enum FirefoxExport {
  private static let categories = [
    FirefoxProfile.Category(name: "Other", color: "grey"),
    FirefoxProfile.Category(name: "Program", color: "blue"),
    FirefoxProfile.Category(name: "Libraries", color: "green"),
    FirefoxProfile.Category(name: "Kernel", color: "orange"),
    FirefoxProfile.Category(name: "Blocked", color: "red"),
  ]
  private static let blocked = 4

  /// The profile as JSON; nil where it would hold no sample, marker or counter.
  package static func render(_ trace: Trace, _ signals: SignalSet) throws -> [UInt8]? {
    let subject = trace.subject
    var threads = trace.threads(of: subject.pid)
    let main = signals.mainThread.map { Int32(truncatingIfNeeded: $0.threadID) } ?? subject.pid
    threads.sort { ($0.tid == main ? 0 : 1, $0.tid) < ($1.tid == main ? 0 : 1, $1.tid) }
    let samples = Dictionary(
      grouping: trace.processorSamples.filter { $0.pid == subject.pid }, by: \.tid)
    var exported: [FirefoxProfile.Thread] = []
    for thread in threads {
      var builder = ThreadBuilder(trace, thread, isMain: thread.tid == main)
      builder.add(samples: samples[thread.tid] ?? [])
      builder.add(waits: thread.intervals)
      if thread.tid == main { builder.add(signals) }
      exported.append(builder.thread)
    }
    let counters = counters(trace, signals)
    guard
      !counters.isEmpty
        || exported.contains(where: { $0.samples.length > 0 || $0.markers.length > 0 })
    else { return nil }
    let profile = FirefoxProfile(
      meta: FirefoxProfile.Meta(
        interval: 1, startTime: Double(trace.metadata.startWallNanoseconds ?? 0) / 1e6,
        product: subject.name, categories: categories,
        markerSchema: [
          marker("hang", "Longest in"), marker("burst", "Hosts"), marker("wait", "In"),
        ]),
      threads: exported, counters: counters)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return try Array(encoder.encode(profile))
  }

  private static func marker(_ name: String, _ label: String) -> FirefoxProfile.MarkerSchema {
    FirefoxProfile.MarkerSchema(
      name: name,
      data: [FirefoxProfile.MarkerField(key: "detail", label: label, format: "string")])
  }

  private static func counters(_ trace: Trace, _ signals: SignalSet) -> [FirefoxProfile.Counter] {
    let footprint = trace.footprints.filter { $0.pid == trace.subject.pid }.map {
      (time: trace.seconds($0.time) * 1000, value: Double($0.sample.footprint))
    }
    var energy = 0.0
    let radio = (signals.network?.bursts ?? []).map { burst in
      energy += burst.energyJoules
      return (time: burst.start * 1000, value: energy * 1000)
    }
    return [
      counter("footprint", "Memory", "Footprint in bytes", footprint, trace),
      counter("radio energy", "power", "Modelled radio energy in mJ", radio, trace),
    ].compactMap { $0 }
  }

  private static func counter(
    _ name: String, _ category: String, _ description: String,
    _ values: [(time: Double, value: Double)], _ trace: Trace
  ) -> FirefoxProfile.Counter? {
    guard !values.isEmpty else { return nil }
    var samples = FirefoxProfile.CounterSamples()
    var last = 0.0
    for (time, value) in values {
      samples.time.append(time)
      samples.count.append(value - last)
      last = value
    }
    samples.length = values.count
    return FirefoxProfile.Counter(
      name: name, category: category, description: description, pid: "\(trace.subject.pid)",
      sampleGroups: [FirefoxProfile.CounterGroup(samples: samples)])
  }

  /// Fills one thread's tables.
  private struct ThreadBuilder {
    private let trace: Trace
    var thread: FirefoxProfile.Thread
    private var strings: [String: Int] = [:]
    private var frames: [Int32: Int] = [:]
    private var resources: [String: Int] = [:]
    private var nodes: [Node: Int] = [:]

    private struct Node: Hashable {
      var prefix: Int?
      var frame: Int
    }

    init(_ trace: Trace, _ model: ThreadModel, isMain: Bool) {
      self.trace = trace
      thread = FirefoxProfile.Thread(
        registerTime: trace.seconds(model.start) * 1000,
        unregisterTime: model.end.map { trace.seconds($0) * 1000 },
        name: model.name, isMainThread: isMain,
        processName: trace.subject.name, pid: "\(model.pid)", tid: Int(model.tid))
    }

    private mutating func string(_ text: String) -> Int {
      if let known = strings[text] { return known }
      strings[text] = thread.stringArray.count
      thread.stringArray.append(text)
      return thread.stringArray.count - 1
    }

    private mutating func resource(_ module: String) -> Int {
      if let known = resources[module] { return known }
      let name = string(module)
      thread.resourceTable.lib.append(nil)
      thread.resourceTable.name.append(name)
      thread.resourceTable.host.append(nil)
      thread.resourceTable.type.append(1)
      resources[module] = thread.resourceTable.length
      thread.resourceTable.length += 1
      return thread.resourceTable.length - 1
    }

    private mutating func frame(_ index: Int32) -> Int {
      if let known = frames[index] { return known }
      let value = trace.stacks.frames[Int(index)]
      thread.funcTable.name.append(string(value.displayName))
      thread.funcTable.isJS.append(false)
      thread.funcTable.relevantForJS.append(false)
      thread.funcTable.resource.append(value.module.isEmpty ? -1 : resource(value.module))
      thread.funcTable.fileName.append(value.file.map { string($0) })
      thread.funcTable.lineNumber.append(nil)
      thread.funcTable.columnNumber.append(nil)
      thread.funcTable.length += 1
      thread.frameTable.address.append(-1)
      thread.frameTable.inlineDepth.append(0)
      thread.frameTable.category.append(value.isKernel ? 3 : value.isProgram ? 1 : 2)
      thread.frameTable.subcategory.append(0)
      thread.frameTable.func.append(thread.funcTable.length - 1)
      thread.frameTable.nativeSymbol.append(nil)
      thread.frameTable.innerWindowID.append(nil)
      thread.frameTable.implementation.append(nil)
      thread.frameTable.line.append(value.line)
      thread.frameTable.column.append(nil)
      frames[index] = thread.frameTable.length
      thread.frameTable.length += 1
      return thread.frameTable.length - 1
    }

    /// The node of a stack in the tree of prefixes, made from its outermost frame on.
    private mutating func node(_ stack: Int) -> Int? {
      var prefix: Int?
      for index in trace.stacks.stacks[stack].reversed() {
        let frame = frame(index)
        let node = Node(prefix: prefix, frame: frame)
        if let known = nodes[node] {
          prefix = known
          continue
        }
        thread.stackTable.frame.append(frame)
        thread.stackTable.prefix.append(prefix)
        thread.stackTable.category.append(thread.frameTable.category[frame] ?? 0)
        thread.stackTable.subcategory.append(0)
        nodes[node] = thread.stackTable.length
        prefix = thread.stackTable.length
        thread.stackTable.length += 1
      }
      return prefix
    }

    mutating func add(samples: [ProcessorSample]) {
      for sample in samples {
        thread.samples.stack.append(sample.stack.flatMap { node($0) })
        thread.samples.time.append(trace.seconds(sample.time) * 1000)
        thread.samples.weight.append(1)
        thread.samples.length += 1
      }
    }

    /// Waits with a stack, as markers that name the function that waited.
    mutating func add(waits: ThreadHistory) {
      for interval in waits {
        guard case .blocked(let cause) = interval.state, !cause.isIdle,
          let stack = interval.stack
        else { continue }
        let function = trace.stacks.frames(of: stack).blamed
        marker(
          cause.rawValue, "wait", function?.displayName ?? "", trace.seconds(interval.start),
          interval.length.seconds, category: FirefoxExport.blocked)
      }
    }

    mutating func add(_ signals: SignalSet) {
      for hang in signals.mainThread?.hangs ?? [] {
        marker(
          "Hang", "hang", hang.blamedFunction ?? hang.severity.rawValue, hang.start,
          hang.durationSeconds, category: FirefoxExport.blocked)
      }
      for burst in signals.network?.bursts ?? [] {
        marker(
          "Network burst", "burst", burst.remotes.joined(separator: ", "), burst.start,
          burst.durationSeconds, category: 0)
      }
    }

    private mutating func marker(
      _ name: String, _ type: String, _ detail: String, _ start: Double, _ duration: Double,
      category: Int
    ) {
      thread.markers.name.append(string(name))
      thread.markers.startTime.append(start * 1000)
      thread.markers.endTime.append((start + duration) * 1000)
      thread.markers.phase.append(1)
      thread.markers.category.append(category)
      thread.markers.data.append(FirefoxProfile.MarkerData(type: type, detail: detail))
      thread.markers.length += 1
    }
  }
}
