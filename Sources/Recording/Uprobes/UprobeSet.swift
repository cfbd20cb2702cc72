import Files
import Glibc
import Synchronization

/// The uprobes that tell which paths a program opens, renames and removes.
///
/// Their definitions are global to the machine; only events opened on them cost anything.
/// Names begin with `lull_PID`, so that two recorders do not meet and what a killed one left
/// behind is found.
package final class UprobeSet: Sendable {
  /// One probe that was defined.
  package struct Probe: Sendable, Equatable {
    /// The tracepoint's name, such as `open64` or `open64_ret`.
    package var name: String
    /// The tracepoint's group, `lull_PID`.
    package var system: String
    /// The number by which `perf_event_open` knows it.
    package var id: UInt64
    /// The layout of its payload.
    package var format: String
    /// Whether a hit costs half a microsecond rather than ten.
    package var isCheap: Bool
    /// What was asked for.
    var template: ProbeTemplate
    /// Whether it tells of the function's return.
    var isReturn: Bool
  }

  /// The probes, entry before return.
  package let probes: [Probe]

  /// What could not be probed, and why.
  package let unavailable: [(name: String, reason: String)]

  private let tracefs: TraceFS
  private let system: String
  /// Others remove the definitions.
  private let isLeft = Atomic(false)

  private init(
    tracefs: TraceFS, system: String, probes: [Probe],
    unavailable: [(name: String, reason: String)]
  ) {
    self.tracefs = tracefs
    self.system = system
    self.probes = probes
    self.unavailable = unavailable
  }

  static let definitions = "uprobe_events"

  /// How the groups of all recorders begin; the recorder's process id follows, after its PID namespace's label.
  private static let groupPrefix = "lull_"

  private static let groupCount = Atomic(0)

  /// A group for probes of a recorder in this PID namespace, which none of its others has: those of one recording may
  /// be taken back while the next one is under way.
  static func newGroup(of recorder: Int32) -> String {
    let count =
      recorder == getpid() ? groupCount.wrappingAdd(1, ordering: .relaxed).oldValue : 0
    return "\(groupPrefix)\(PIDNamespace.label)\(recorder)" + (count > 0 ? "r\(count)" : "")
  }

  /// The recorder's process id in the last part of a group's name, `12` or `12r1`.
  private static func recorder(_ part: Substring) -> Int32? {
    let words = part.split(separator: "r", omittingEmptySubsequences: false)
    guard words.count < 3, words.allSatisfy({ UInt64($0) != nil }) else { return nil }
    return Int32(words[0])
  }

  /// Defines the probes in each library.
  ///
  /// A library that is not there or has none of the functions is passed over; failing to
  /// define any probe at all is an error. In the second library, names end in `_2`, and so on.
  /// - Parameters:
  ///   - libraries: paths of C libraries, or of executables that contain one.
  ///   - tag: the recorder's process id.
  ///   - runtimes: where Swift's concurrency may be; the first that has it is probed.
  ///   - dispatchers: the same of libdispatch.
  ///   - tests: whether the lines of a test runner are wanted too.
  package static func install(
    tracefs: TraceFS, libraries: [String], runtimes: [String] = [],
    dispatchers: [String] = [], tests: Bool = false,
    tag: Int32 = getpid()
  ) throws(RecordingError) -> UprobeSet {
    let system = newGroup(of: tag)
    // A reused process id may have left probes of this very name.
    removeGroup(system, tracefs)
    var probes: [Probe] = []
    var unavailable: [(name: String, reason: String)] = []
    var firstError: RecordingError?
    var seen: Set<[UInt64]> = []
    func define(_ templates: [ProbeTemplate], in library: String, _ file: ElfFile, suffix: String) {
      let functions = file.functions(named: Set(templates.map(\.function)))
      // A path with blanks cannot be written in a definition; a descriptor's name can.
      let opened = OwnedDescriptor(opening: library)
      let target =
        library.contains(where: \.isWhitespace)
        ? "/proc/self/fd/\(opened?.number ?? -1)" : library
      for template in templates {
        guard let function = functions[template.function] else {
          unavailable.append((template.function + suffix, "\(library) does not define it"))
          continue
        }
        let site = ProbeSite(function)
        if template.onlyIfCheap, !site.instruction.isCheap {
          unavailable.append(
            (template.function + suffix, "each call would cost ten microseconds more"))
          continue
        }
        var wanted = [("p", template.function + suffix, template.entryArguments)]
        if let result = template.result {
          wanted.append(("r", template.function + suffix + "_ret", result))
        }
        for (type, name, arguments) in wanted {
          let place = "\(target):0x\(String(site.fileOffset, radix: 16))"
          do throws(RecordingError) {
            try tracefs.append(
              "\(type):\(system)/\(name) \(place) \(arguments)\n", to: definitions)
          } catch {
            if firstError == nil { firstError = error }
            unavailable.append((name, error.message))
            continue
          }
          if let id = tracefs.eventID(system, name), let format = tracefs.format(system, name) {
            probes.append(
              Probe(
                name: name, system: system, id: id, format: format,
                isCheap: site.instruction.isCheap, template: template, isReturn: type == "r"))
          } else {
            unavailable.append((name, "it was defined but does not appear among the events"))
          }
        }
      }
    }
    for library in libraries {
      var information = stat()
      guard stat(library, &information) == 0 else {
        unavailable.append((library, KernelFile.errorText(errno)))
        continue
      }
      guard seen.insert([UInt64(information.st_dev), UInt64(information.st_ino)]).inserted
      else { continue }
      guard let file = ElfFile(path: library) else {
        unavailable.append((library, "it is not a readable ELF file"))
        continue
      }
      let suffix = seen.count > 1 ? "_\(seen.count)" : ""
      let templates = ProbeTemplate.all + (tests ? ProbeTemplate.tests : [])
      define(templates, in: library, file, suffix: suffix)
    }
    for (places, templates) in [
      (runtimes, ProbeTemplate.concurrency), (dispatchers, ProbeTemplate.queues),
    ] {
      for place in places {
        guard let file = ElfFile(path: place),
          !file.functions(named: [templates[0].function]).isEmpty
        else { continue }
        define(templates, in: place, file, suffix: "")
        break
      }
    }
    if probes.isEmpty {
      throw firstError
        ?? RecordingError(
          kind: .unsupported,
          message: "file names are not recorded: no C library to probe was found in "
            + (libraries.isEmpty ? "an empty list" : libraries.joined(separator: ", ")))
    }
    return UprobeSet(
      tracefs: tracefs, system: system, probes: probes, unavailable: unavailable)
  }

  /// Leaves the definitions to be removed when the events are closed.
  func leave(to leftovers: Leftovers) {
    for probe in probes { leftovers.add(definition: "\(system)/\(probe.name)") }
    isLeft.store(true, ordering: .relaxed)
  }

  /// Removes the definitions; those still open as events stay, and are named.
  ///
  /// Close the events first. What stays is removed by the next recorder.
  @discardableResult
  package func remove() -> [String] {
    Self.removeGroup(system, tracefs)
  }

  deinit { if !isLeft.load(ordering: .relaxed) { remove() } }

  /// Removes the probes that recorders left behind which are no longer there.
  ///
  /// Gives the groups that were removed.
  @discardableResult
  package static func removeStale(tracefs: TraceFS) -> [String] {
    var removed: [String] = []
    for group in groups(in: (try? tracefs.read(definitions)) ?? "") {
      let ids = group.dropFirst(groupPrefix.count).split(separator: "_")
      guard let pid = ids.last.flatMap(recorder) else { continue }
      let namespace = ids.count > 1 ? UInt64(ids[0]) : PIDNamespace.initialInode
      guard !isRecorder(pid, in: namespace) else { continue }
      if removeGroup(group, tracefs).isEmpty { removed.append(group) }
    }
    return removed
  }

  /// Whether a recorder may be at work; those of namespaces that we do not see are left alone.
  private static func isRecorder(_ pid: Int32, in namespace: UInt64?) -> Bool {
    if namespace == PIDNamespace.inode { return isRecorder(pid) }
    guard PIDNamespace.isInitial else { return true }
    // As long as nobody knows who is at work, somebody may be.
    guard let names = try? Folder.names(in: "/proc") else { return true }
    return names.compactMap { Int32($0) }.contains {
      PIDNamespace.inode(ofProcess: "\($0)") == namespace && isRecorder($0)
    }
  }

  /// A process that runs the same program as we do, or is called lull, is a recorder at work.
  private static func isRecorder(_ pid: Int32) -> Bool {
    if pid == getpid() { return true }
    guard let other = ProcessStatistics(pid: pid), other.state != "Z" else { return false }
    return other.name == "lull" || other.name == ProcessStatistics(pid: getpid())?.name
  }

  /// The groups that are Lull's in the text of `uprobe_events`.
  static func groups(in text: String) -> [String] {
    var found: [String] = []
    for line in text.split(separator: "\n") {
      guard let name = eventName(in: line) else { continue }
      let group = String(name.prefix { $0 != "/" })
      let ids = group.dropFirst(groupPrefix.count).split(
        separator: "_", omittingEmptySubsequences: false)
      if group.hasPrefix(groupPrefix), ids.count < 3, ids.last.flatMap(recorder) != nil,
        ids.dropLast().allSatisfy({ UInt64($0) != nil }),
        !found.contains(group)
      {
        found.append(group)
      }
    }
    return found
  }

  /// `GROUP/NAME` of a line `p:GROUP/NAME PATH:OFFSET …`.
  private static func eventName(in line: Substring) -> Substring? {
    guard let colon = line.firstIndex(of: ":") else { return nil }
    let name = line[line.index(after: colon)...].prefix { $0 != " " }
    return name.contains("/") ? name : nil
  }

  /// Gives the probes that could not be removed.
  @discardableResult
  private static func removeGroup(_ group: String, _ tracefs: TraceFS) -> [String] {
    guard let text = try? tracefs.read(definitions) else { return [] }
    var left: [String] = []
    for line in text.split(separator: "\n") {
      guard let name = eventName(in: line), name.hasPrefix(group + "/") else { continue }
      do throws(RecordingError) {
        try tracefs.append("-:\(name)\n", to: definitions)
      } catch { left.append(String(name)) }
    }
    return left
  }

  /// A program's own file, where it holds the C library itself.
  package static func staticProgram(of target: RecordingOptions.Target) -> [String] {
    let file =
      switch target {
      case .command(let words): words.first.flatMap(ProgramFile.path)
      case .pid(let pid): "/proc/\(pid)/exe"
      }
    guard let file, let program = ElfFile(path: file), program.interpreter == nil else { return [] }
    return [file]
  }

  /// Where the C library is usually found: what `pid` maps first, else the standard places.
  package static func libraryCandidates(pid: Int32? = nil) -> [String] {
    if let pid {
      let mapped = ProcessProbe.mappedPaths(pid: pid).filter { path in
        let name = path.split(separator: "/").last ?? ""
        return name == "libc.so.6" || name.hasPrefix("libc-2.") || name.hasPrefix("ld-musl-")
      }
      // The process may see other files than we do under the same names.
      let seen = mapped.map { path in
        let inside = "/proc/\(pid)/root\(path)"
        var theirs = stat()
        var ours = stat()
        guard stat(inside, &theirs) == 0 else { return path }
        let isSame =
          stat(path, &ours) == 0 && ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino
        return isSame ? path : inside
      }
      if !seen.isEmpty { return seen }
    }
    #if arch(arm64)
      let triple = "aarch64-linux-gnu"
    #else
      let triple = "x86_64-linux-gnu"
    #endif
    // One library often has several of these names; `install` takes each file once.
    return ["/lib/\(triple)/libc.so.6", "/lib64/libc.so.6", "/usr/lib/libc.so.6"]
      .filter { OwnedDescriptor(opening: $0) != nil }
  }
}
