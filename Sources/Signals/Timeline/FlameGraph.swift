import TraceModel

/// A call tree: the root's children are causes, below them the functions from the outermost in.
package struct FlameGraph: Codable, Sendable, Hashable {
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
}

extension FlameGraph {
  /// Nodes with less of the whole are left out.
  static let smallestShare = 0.0005
  static let mostNodes = 3000

  /// The main thread's tree and all threads' tree.
  static func graphs(_ signals: SignalSet, _ subject: SubjectView) -> [FlameGraph] {
    var graphs: [FlameGraph] = []
    if let main = signals.mainThread {
      graphs.append(
        build("Main thread", subject.threads.filter { Int($0.tid) == main.threadID }, subject))
    }
    graphs.append(build("All threads", subject.threads, subject))
    return graphs.filter { $0.seconds.count > 1 }
  }

  private struct Key: Hashable {
    var cause: String
    var stack: Int
  }

  private static func build(
    _ title: String, _ threads: [ThreadModel], _ subject: SubjectView
  ) -> FlameGraph {
    var times: [Key: Double] = [:]
    var samples: [Int32: [Int: Int]] = [:]
    for sample in subject.trace.processorSamples where sample.pid == subject.pid {
      samples[sample.tid, default: [:]][sample.stack ?? -1, default: 0] += 1
    }
    for thread in threads {
      for interval in subject.history(of: thread) {
        guard case .blocked(let cause) = interval.state, !cause.isIdle else { continue }
        times[Key(cause: cause.rawValue, stack: interval.stack ?? -1), default: 0] +=
          interval.length.seconds
      }
      // Samples say where a thread ran, its switches for how long.
      let running = thread.runningTime.seconds
      let own = samples[thread.tid] ?? [-1: 1]
      let count = own.values.reduce(0, +)
      for (stack, hits) in own {
        times[Key(cause: "running", stack: stack), default: 0] +=
          running * Double(hits) / Double(max(count, 1))
      }
    }
    var tree = CallTree(subject)
    for (key, seconds) in times.sorted(by: {
      ($0.key.cause, $0.key.stack) < ($1.key.cause, $1.key.stack)
    }) where seconds > 0 {
      tree.add(seconds, cause: key.cause, stack: key.stack)
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

  init(_ subject: SubjectView) { self.subject = subject }

  mutating func add(_ time: Double, cause: String, stack: Int) {
    let index = causes.firstIndex(of: cause) ?? causes.count
    if index == causes.count { causes.append(cause) }
    seconds[0] += time
    var node = child(of: 0, -1 - index)
    seconds[node] += time
    for frame in subject.frames(stack < 0 ? nil : stack).reversed() {
      let known = frameIndex[frame] ?? frames.count
      if known == frames.count {
        frames.append(frame)
        frameIndex[frame] = known
      }
      node = child(of: node, known)
      seconds[node] += time
    }
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
      title: title, frames: [], parents: [], functions: [], seconds: [], causes: causes)
    var kept: [Int: Int] = [:]
    var pending = [(node: 0, parent: -1)]
    while let (node, parent) = pending.popLast() {
      let index = result.parents.count
      result.parents.append(parent)
      result.seconds.append((seconds[node] * 1e6).rounded() / 1e6)
      var function = functions[node]
      if node > 0, function >= 0 {
        function = kept[function] ?? result.frames.count
        if function == result.frames.count {
          kept[functions[node]] = function
          result.frames.append(frames[functions[node]])
        }
      }
      result.functions.append(function)
      let large = children[node].values.filter { seconds[$0] >= limit }
        .sorted { seconds[$0] == seconds[$1] ? $0 > $1 : seconds[$0] < seconds[$1] }
      pending += large.map { ($0, index) }
    }
    return result
  }
}
