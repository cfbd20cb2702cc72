import TraceModel

/// A call tree: the root's children are causes, below them the functions from the outermost in.
package struct FlameGraph: Sendable, Codable, Equatable {
  /// Whose time it is.
  package var title: String
  /// The functions, each once.
  package var frames: [StackFrame]
  /// For each node its parent's index; the root, node 0, has -1. Parents come before children.
  package var parents: [Int]
  /// For each node its function's index, or -1 - the index of its cause.
  package var functions: [Int]
  /// For each node its time with its children's.
  package var seconds: [Double]
  /// The causes, `running` among them.
  package var causes: [String]
  /// For each node the function, by its index, that is to blame for what ends there; -1 where there is none.
  package var blamed: [Int]
  /// When its time was.
  package var moments: FlameMoments
}

extension FlameGraph {
  /// Nodes with less of the whole are left out.
  static let smallestShare = 0.0005
  static let mostNodes = 3000

  /// Less of all threads' time than this is no place to begin with.
  private static let leastOfAll = 0.02

  /// The trees of the main thread, of all threads, and of CPU time alone; the one to open with comes first.
  static func graphs(_ signals: SignalSet, _ subject: SubjectView) -> [FlameGraph] {
    let main = signals.mainThread.map { main in
      build("Main thread", subject.threads.filter { Int($0.tid) == main.threadID }, subject)
    }
    let all = build("All threads", subject.threads, subject)
    let cpu = build("CPU time of all threads", subject.threads, subject, withWaits: false)
    var graphs = [main, all, cpu].compactMap { $0 }.filter { $0.seconds.count > 1 }
    // A main thread that is parked all the time has nothing to show, and threads without a loop wait by trade.
    if let main, main.hasFunctions, main.seconds[0] >= leastOfAll * all.seconds[0] {
      return graphs
    }
    if cpu.hasFunctions { graphs = [cpu] + graphs.filter { $0.title != cpu.title } }
    return graphs
  }

  private var hasFunctions: Bool { !frames.isEmpty }

  private static func build(
    _ title: String, _ threads: [ThreadModel], _ subject: SubjectView, withWaits: Bool = true
  ) -> FlameGraph {
    let duration = subject.time(subject.trace.end)
    var tree = CallTree(subject, duration: duration)
    let samples = Dictionary(
      grouping: subject.trace.processorSamples.filter { $0.pid == subject.pid }, by: \.tid)
    for thread in threads.sorted(by: { $0.tid < $1.tid }) {
      for interval in withWaits ? subject.history(of: thread) : [] {
        guard case .blocked(let cause) = interval.state, !cause.isIdle else { continue }
        tree.add(
          interval.length.seconds, from: subject.time(interval.start),
          lasting: interval.length.seconds, cause: cause.rawValue, stack: interval.stack ?? -1)
      }
      // Samples say where a thread ran, its switches for how long.
      let running = thread.runningTime.seconds
      guard running > 0 else { continue }
      guard let own = samples[thread.tid] else {
        // Spread over all of the recording: less than the time between two samples.
        tree.add(running, from: 0, lasting: duration, cause: "running", stack: -1)
        continue
      }
      let each = subject.trace.seconds(
        ofEach: own.count, in: thread.runningTime, of: subject.pid)
      for sample in own {
        tree.add(
          each, from: subject.time(sample.time), lasting: 0, cause: "running",
          stack: sample.stack ?? -1)
      }
      guard subject.trace.periodInProgram(of: subject.pid) != nil else { continue }
      let rest = running - each * Double(own.count)
      tree.add(rest, from: 0, lasting: duration, cause: "running", stack: -1)
    }
    return tree.graph(title)
  }
}

/// A call tree while it grows.
private struct CallTree {
  private let subject: SubjectView
  private var frames: [StackFrame] = []
  private var frameIndex: [StackFrame: Int] = [:]
  private var causes: [String] = []
  private var parents = [-1]
  private var functions = [0]
  private var seconds = [0.0]
  private var children: [[Int: Int]] = [[:]]
  /// The node at which each stack of a cause ends.
  private var ends: [Key: Int] = [:]
  private var moments: FlameMomentSums

  private struct Key: Hashable {
    var cause: String
    var stack: Int
  }

  init(_ subject: SubjectView, duration: Double) {
    self.subject = subject
    moments = FlameMomentSums(duration: duration)
  }

  mutating func add(
    _ time: Double, from start: Double, lasting length: Double, cause: String, stack: Int
  ) {
    guard time > 0 else { return }
    let end = end(of: Key(cause: cause, stack: stack))
    var node = end
    while node >= 0 {
      seconds[node] += time
      node = parents[node]
    }
    moments.add(time, from: start, lasting: length, at: end)
  }

  private mutating func end(of key: Key) -> Int {
    if let known = ends[key] { return known }
    let index = causes.firstIndex(of: key.cause) ?? causes.count
    if index == causes.count { causes.append(key.cause) }
    var node = child(of: 0, -1 - index)
    for frame in subject.frames(key.stack < 0 ? nil : key.stack).reversed() {
      let known = frameIndex[frame] ?? frames.count
      if known == frames.count {
        frames.append(frame)
        frameIndex[frame] = known
      }
      node = child(of: node, known)
    }
    ends[key] = node
    return node
  }

  private mutating func child(of parent: Int, _ function: Int) -> Int {
    if let known = children[parent][function] { return known }
    let node = parents.count
    parents.append(parent)
    functions.append(function)
    seconds.append(0)
    children.append([:])
    children[parent][function] = node
    return node
  }

  /// The finished graph, without what is too small to be seen; the largest children come first.
  func graph(_ title: String) -> FlameGraph {
    var limit = seconds[0] * FlameGraph.smallestShare
    while seconds.count(where: { $0 >= limit }) > FlameGraph.mostNodes { limit *= 1.5 }
    var result = FlameGraph(
      title: title, frames: [], parents: [], functions: [], seconds: [], causes: causes,
      blamed: [], moments: FlameMoments())
    var keptFrames: [Int: Int] = [:]
    var keptNodes = [Int](repeating: -1, count: parents.count)
    var pending = [(node: 0, parent: -1)]
    while let (node, parent) = pending.popLast() {
      let index = result.parents.count
      keptNodes[node] = index
      result.parents.append(parent)
      result.seconds.append((seconds[node] * 1e6).rounded() / 1e6)
      var function = functions[node]
      if node > 0, function >= 0 {
        function = keptFrames[function] ?? result.frames.count
        if function == result.frames.count {
          keptFrames[functions[node]] = function
          result.frames.append(frames[functions[node]])
        }
      }
      result.functions.append(function)
      result.blamed.append(blamed(at: node).flatMap { keptFrames[$0] } ?? -1)
      let large = children[node].values.filter { seconds[$0] >= limit }
        .sorted { seconds[$0] == seconds[$1] ? $0 > $1 : seconds[$0] < seconds[$1] }
      pending += large.map { ($0, index) }
    }
    // What ended at a node that is left out ends at the nearest one that is not.
    for node in parents.indices where keptNodes[node] < 0 {
      keptNodes[node] = keptNodes[parents[node]]
    }
    result.moments = moments.moments(ofNodes: keptNodes)
    return result
  }

  /// The frame to blame, by its index, for a stack that ends at a node.
  private func blamed(at node: Int) -> Int? {
    var stack: [Int] = []
    var at = node
    while at > 0, functions[at] >= 0 {
      stack.append(functions[at])
      at = parents[at]
    }
    return stack.map { frames[$0] }.blamed.flatMap { frameIndex[$0] }
  }
}
