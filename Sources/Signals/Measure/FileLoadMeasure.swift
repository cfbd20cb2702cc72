import PerfData
import Quantities
import TraceModel

/// Finds files of which much was read in one go, however small the calls were.
///
/// Where only reads of 64 KiB and more are recorded one by one, /proc tells how many smaller ones there were and what
/// they brought between two of its readings; of which file is told by what was open then: the one large file whose size
/// they make up.
struct FileLoadMeasure {
  /// Reads with longer pauses are not one go, in seconds.
  private static let longestPause = 0.5
  /// Files of less are no large ones, nor are loads.
  static let largeBytes: UInt64 = 4 << 20
  /// Less between two readings of /proc is a program's ordinary reading.
  private static let leastBetween: UInt64 = 64 << 10

  /// What was read between two moments.
  struct Piece {
    var path: String?
    var from: Timestamp
    var to: Timestamp
    var bytes: UInt64
    var reads: Int
    var isSmall = false
  }

  /// Files of which much was read in one go, most first.
  private(set) var loads: [FileLoad] = []
  /// What small reads brought of each file that they are known to be of.
  private(set) var small: [String: (reads: Int, bytes: UInt64)] = [:]
  /// Small reads that load files or the like, in the order of time.
  private(set) var spells: [Piece] = []
  /// All reads but of sockets; nil where /proc did not tell.
  private(set) var reads: Int?
  private(set) var bytesRead: UInt64?
  /// Whether these are the least that there was.
  private(set) var isLeast = false

  private let subject: SubjectView
  private let readings: [Footprint]

  init(_ subject: SubjectView) {
    self.subject = subject
    readings = subject.trace.footprints.filter { $0.pid == subject.pid }
    var pieces: [Piece] = []
    for operation in subject.trace.fileOperations.matching({
      $0.pid == subject.pid && $0.kind == .read && $0.isDisk
    }) {
      guard let path = operation.path else { continue }
      pieces.append(
        Piece(
          path: path, from: start(of: operation), to: operation.time,
          bytes: operation.bytes &* operation.weight, reads: Int(clamping: operation.weight)))
    }
    spells = measureSmall()
    pieces += spells
    loads = joined(pieces).filter { $0.bytes > Self.largeBytes }.sorted {
      ($1.bytes, $0.start) < ($0.bytes, $1.start)
    }
  }

  /// When a read began at the earliest: only its end is recorded. A disk gives 100 MB/s, and more than a file's opening
  /// no read waits for.
  private func start(of operation: FileOperation) -> Timestamp {
    let slowest = operation.time + TimeSpan(seconds: -Double(operation.bytes) / 1e8)
    let opened = subject.trace.openFiles.last {
      $0.pid == subject.pid && $0.path == operation.path && $0.start <= operation.time
    }
    return min(max(slowest, opened?.start ?? subject.start, subject.start), operation.time)
  }

  /// What small reads brought between the readings of /proc.
  private mutating func measureSmall() -> [Piece] {
    guard let first = readings.first, let last = readings.last, last.sample.readCalls > 0 else {
      return []
    }
    let pid = subject.pid
    let transfers = subject.trace.transfers.filter { $0.pid == pid && $0.direction == .receive }
    let received = Self.series(transfers) { ($0.time, $0.bytes &* $0.weight) }
    let receives = Self.series(transfers) { ($0.time, $0.weight) }
    let large = subject.trace.fileOperations.matching {
      $0.pid == pid && $0.kind == .read && $0.target != .socket
    }.map { $0 }
    let largeBytes = Self.series(large) { ($0.time, $0.bytes &* $0.weight) }
    let largeReads = Self.series(large) { ($0.time, $0.weight) }

    func between(
      _ from: UInt64, _ to: UInt64, _ all: UInt64, less series: [CumulativeSeries]
    ) -> UInt64 {
      UInt64(saturating: series.reduce(Double(all)) { $0 - $1.sum(from: from, to: to) })
    }
    let knownReads = large.reduce(UInt64(0)) { $0 &+ $1.weight }
    let knownBytes = large.reduce(UInt64(0)) { $0 &+ $1.bytes &* $1.weight }
    let recordsReads = subject.trace.capture?.recordsLargeReads == true
    // What children read that it waited for is in its own sums.
    if subject.trace.processes.contains(where: { $0.parentPid == pid && $0.end != nil }) {
      if recordsReads, knownReads > 0 {
        (reads, bytesRead, isLeast) = (Int(clamping: knownReads), knownBytes, true)
      }
      return []
    }
    // Of what sockets gave it has what `read` brought, and not what `recv` did: which it was is not known.
    isLeast = !transfers.isEmpty
    // A wrapped program begins with nothing read; one that was found running had read before.
    let base = subject.trace.startsLate ? first.sample : FootprintSample()
    let start = subject.trace.startsLate ? first.time : subject.start
    // Of what came after the last reading the large ones are known.
    func later(_ series: CumulativeSeries) -> UInt64 {
      UInt64(saturating: series.sum(from: last.time.nanoseconds, to: .max))
    }
    bytesRead =
      between(
        start.nanoseconds, last.time.nanoseconds, last.sample.readChars &- base.readChars,
        less: [received]) &+ later(largeBytes)
    reads = Int(
      clamping: between(
        start.nanoseconds, last.time.nanoseconds, last.sample.readCalls &- base.readCalls,
        less: [receives]) &+ later(largeReads))
    if isLeast {
      bytesRead = max(bytesRead ?? 0, knownBytes)
      reads = max(reads ?? 0, Int(clamping: knownReads))
    }
    // Where calls were recorded in slices, what the large ones brought is an estimate; where all reads of files were,
    // the rest was of none.
    guard recordsReads, let capture = subject.trace.capture,
      capture.recordsSmallReads != true, capture.slices?.isEmpty != false
    else { return [] }

    var pieces: [Piece] = []
    var before = base
    var from = start
    for reading in readings where reading.time > from {
      let (begin, end) = (from.nanoseconds, reading.time.nanoseconds)
      let bytes = between(
        begin, end, reading.sample.readChars &- before.readChars, less: [received, largeBytes])
      let calls = between(
        begin, end, reading.sample.readCalls &- before.readCalls, less: [receives, largeReads])
      if bytes >= Self.leastBetween {
        pieces.append(
          Piece(
            from: from, to: reading.time, bytes: bytes, reads: Int(clamping: calls), isSmall: true))
      }
      before = reading.sample
      from = reading.time
    }
    return named(pieces)
  }

  private static func series<Element>(
    _ elements: [Element], _ amount: (Element) -> (Timestamp, UInt64)
  ) -> CumulativeSeries {
    CumulativeSeries(
      elements.map { element in
        let (time, value) = amount(element)
        return (time: time.nanoseconds, amount: Double(value))
      })
  }

  /// Small reads that follow each other, with the file that they are of where that is known.
  private mutating func named(_ pieces: [Piece]) -> [Piece] {
    var spells: [Piece] = []
    for piece in pieces {
      if let last = spells.indices.last, spells[last].to == piece.from {
        spells[last].to = piece.to
        spells[last].bytes &+= piece.bytes
        spells[last].reads += piece.reads
      } else {
        spells.append(piece)
      }
    }
    return spells.flatMap { spell -> [Piece] in
      guard spell.bytes > Self.largeBytes else { return [] }
      let found = source(of: spell)
      guard let path = found?.path else { return [spell] }
      var named = spell
      named.path = path
      if let size = found?.size, found?.isWhole == true { named.bytes = min(spell.bytes, size) }
      let known = small[path] ?? (0, 0)
      small[path] = (known.reads + named.reads, known.bytes + named.bytes)
      return [named]
    }
  }

  /// The file of which small reads were: the only large one that was open, or whose size they make up.
  private func source(of spell: Piece) -> (path: String?, size: UInt64?, isWhole: Bool)? {
    let open = subject.trace.openFiles.filter {
      $0.pid == subject.pid && !$0.isWriteOnly && $0.meets(spell.from, spell.to)
    }
    let files = open.filter { $0.kind == .regular && ($0.size ?? 0) > Self.largeBytes }
    // Of what was read, each file may account for its size, and what else was read is a tenth at most.
    let whole = files.filter { file in
      guard let size = file.size else { return false }
      return spell.bytes >= size - size / 10 && spell.bytes <= size + size / 10 + Self.leastBetween
    }
    if Set(whole.map(\.path)).count == 1, let file = whole.first {
      return (file.path, file.size, true)
    }
    // Pipes and terminals are read in small pieces too.
    let others = open.contains {
      switch $0.kind {
      case .pipe?, .terminal?, .device?, nil: true
      default: false
      }
    }
    guard Set(files.map(\.path)).count == 1, let file = files.first, !others else { return nil }
    return (file.path, file.size, false)
  }

  /// Pieces of one file with short pauses between, as one.
  private func joined(_ pieces: [Piece]) -> [FileLoad] {
    let byFile = Dictionary(grouping: pieces) { $0.path ?? "" }
    return byFile.flatMap { path, pieces -> [FileLoad] in
      var loads: [Piece] = []
      for piece in pieces.sorted(by: { $0.from < $1.from }) {
        if let last = loads.indices.last,
          piece.from <= loads[last].to || (piece.from - loads[last].to).seconds < Self.longestPause
        {
          loads[last].to = max(loads[last].to, piece.to)
          loads[last].bytes &+= piece.bytes
          loads[last].reads += piece.reads
        } else {
          loads.append(piece)
        }
      }
      return loads.map { load in
        FileLoad(
          path: path.isEmpty ? nil : path, start: subject.time(load.from),
          durationSeconds: (load.to - load.from).seconds, bytes: load.bytes, reads: load.reads,
          heldBytes: held(from: load.from, to: load.to))
      }
    }
  }

  /// By how much the footprint rose between two moments, at its highest.
  private func held(from: Timestamp, to: Timestamp) -> UInt64? {
    let begin = readings.partitioningIndex { $0.time > from } - 1
    let end = readings.partitioningIndex { $0.time >= to }
    guard begin >= 0 || !subject.trace.startsLate, end < readings.count else { return nil }
    let before = begin >= 0 ? readings[begin].sample : FootprintSample()
    let peak = FootprintPeak.of(
      [before] + readings[max(begin, 0)...end].lazy.map(\.sample))
    return peak - min(peak, before.footprint)
  }
}
