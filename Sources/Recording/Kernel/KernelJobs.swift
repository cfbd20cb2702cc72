import CBPF
import Glibc

/// The functions of Swift's concurrency at which programs in the kernel tell jobs.
///
/// A perf event at a function is one of each thread, for which all its switches pay; these are of processes.
final class KernelJobs {
  private struct Site {
    var program: String
    var offset: UInt64
    var returns: Bool
  }

  private let programs: KernelPrograms
  private let library: String
  private let sites: [Site]
  /// What ends them, by process; nil when all is over.
  private var links: [Int32: [Int32]]? = [:]
  /// The kernel waits until no CPU is in a program any longer.
  private let closing = Closer("closing probes", width: 8)
  private var count = 0
  /// Seconds since the last look at how many there were.
  private var elapsed = 0.0
  /// Of less time a rate says nothing.
  private static let window = 0.1
  private var tokens = TokenBucket(AdaptiveSource.jobs.limit)
  /// Why none is told of programs that there were then.
  private(set) var reason: String?
  private var names: LibraryNames

  /// Nil where none of the files has these functions, or the kernel cannot (before Linux 6.6).
  init?(_ programs: KernelPrograms, in places: [String], of pid: Int32) {
    self.programs = programs
    var found: (library: String, sites: [Site])?
    for place in places where found == nil {
      guard
        let functions = ElfFile(path: place)?.functions(named: Set(Self.programs.map(\.function))),
        functions["swift_job_run"] != nil
      else { continue }
      let sites = Self.programs.compactMap { name, function, returns -> Site? in
        guard let function = functions[function] else { return nil }
        let site = ProbeSite(function)
        // A return is caught where the function begins.
        return site.instruction.isCheap
          ? Site(program: name, offset: site.fileOffset, returns: returns) : nil
      }
      if !sites.isEmpty { found = (place, sites) }
    }
    guard let found, let names = LibraryNames(of: found.library) else { return nil }
    (library, sites) = found
    self.names = names
    guard add(pid) else { return nil }
  }

  private static let programs: [(name: String, function: String, returns: Bool)] = [
    ("job_runs", "swift_job_run", false), ("job_ran", "swift_job_run", true),
    ("job_handed", "swift_task_enqueue", false), ("task_made", "swift_task_create", false),
  ]

  /// From here on a process's jobs are told, and those of whatever program it becomes; false where that cannot be.
  @discardableResult
  func add(_ pid: Int32) -> Bool {
    guard let links, links[pid] == nil else { return self.links != nil }
    // What others made before they were ended is not this one's.
    if links.isEmpty { tokens.refill() }
    var opened: [Int32] = []
    for site in sites {
      let link = programs.probe(
        site.program, at: site.offset, of: library, in: pid, returns: site.returns)
      guard link >= 0 else {
        for link in opened { close(link) }
        return false
      }
      opened.append(link)
    }
    self.links?[pid] = opened
    return true
  }

  /// A process has mapped a file: one that its parent was not yet, if it is the library.
  func mapped(_ path: String, by pid: Int32) {
    guard let links, links[pid] == nil else { return }
    if names.contain(path) { add(pid) }
  }

  func ended(_ pid: Int32) {
    guard let links = links?.removeValue(forKey: pid) else { return }
    closing.close(links)
  }

  /// Takes a record in.
  func take(_ record: UnsafeRawPointer, _ writer: KernelWriter) {
    let mark = record.load(as: lull_kernel_job_mark.self)
    switch lull_kernel_kind(UInt32(mark.head.kind)) {
    case lull_kernel_job:
      count += 1
      writer.tell(record.load(as: lull_kernel_job_record.self))
    case lull_kernel_job_end: writer.tell(.jobEnd, mark)
    case lull_kernel_job_handed: writer.tell(.jobHanded, mark)
    case lull_kernel_task: writer.tell(.taskMade, mark)
    default: break
    }
  }

  /// Looks at how many there were in so long: where that costs too much, none is told of the programs that there are.
  /// One that begins later maps the library anew.
  func consider(_ seconds: Double) {
    elapsed += seconds
    guard elapsed >= Self.window else { return }
    let isTooMuch = tokens.take(Double(count), in: elapsed)
    if isTooMuch, links?.isEmpty == false {
      let text =
        "at \(Int(Double(count) / elapsed)) jobs a second, recording them would have taken more than 2 % of a CPU; "
        + "it was ended, until the next program"
      reason = reason ?? text
      let all = takeLinks()
      links = [:]
      closing.close(all)
    }
    count = 0
    elapsed = 0
  }

  func leave(to leftovers: Leftovers) {
    leftovers.add(closing.takeRest())
    leftovers.add(takeLinks())
  }

  private func takeLinks() -> [Int32] {
    defer { links = nil }
    return links.map { $0.values.flatMap { $0 } } ?? []
  }
}

/// By what paths processes map one library: a file that is seen from several places.
struct LibraryNames {
  private let identity: [UInt64]
  /// Files that were looked at.
  private var looked = RecentTable<String, Bool>(most: 4096)

  /// Nil where there is no such file.
  init?(of path: String) {
    guard let identity = Self.identity(of: path) else { return nil }
    self.identity = identity
  }

  private static func identity(of path: String) -> [UInt64]? {
    var information = stat()
    guard stat(path, &information) == 0 else { return nil }
    return [UInt64(information.st_dev), UInt64(information.st_ino)]
  }

  /// Whether the library is at a path, as it was when that was asked for first.
  mutating func contain(_ path: String) -> Bool {
    let isLibrary = looked[path] ?? (Self.identity(of: path) == identity)
    looked[path] = isLibrary
    return isLibrary
  }
}
