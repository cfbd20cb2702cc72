import Quantities

/// One file mapped into a process.
public struct ModuleMapping: Sendable, Hashable {
  public var start: UInt64
  public var end: UInt64
  public var fileOffset: UInt64
  public var path: String
  public var buildID: [UInt8]?
  /// The file's inode number, where its build id is not known.
  public var inode: UInt64?

  public init(
    start: UInt64, end: UInt64, fileOffset: UInt64, path: String, buildID: [UInt8]? = nil,
    inode: UInt64? = nil
  ) {
    self.start = start
    self.end = end
    self.fileOffset = fileOffset
    self.path = path
    self.buildID = buildID
    self.inode = inode
  }
}

/// The mappings of one process, sorted by address and without overlaps.
public struct MappingTable: Sendable {
  /// All mappings in the order of their addresses.
  public private(set) var mappings: [ModuleMapping] = []

  /// Path of the program that the process runs; the files themselves tell if this is not known.
  public var executablePath: String?

  public init(executablePath: String? = nil) { self.executablePath = executablePath }

  /// Adds a mapping; it replaces the parts of older ones that it overlaps.
  public mutating func insert(_ mapping: ModuleMapping) {
    guard mapping.start < mapping.end else { return }
    var first = mappings.partitioningIndex { $0.start > mapping.start }
    if first > 0, mappings[first - 1].end > mapping.start { first -= 1 }
    var last = first
    var replacement: [ModuleMapping] = []
    while last < mappings.count, mappings[last].start < mapping.end {
      let old = mappings[last]
      if old.start < mapping.start {
        var left = old
        left.end = mapping.start
        replacement.append(left)
      }
      if old.end > mapping.end {
        var right = old
        right.fileOffset &+= mapping.end - old.start
        right.start = mapping.end
        replacement.append(right)
      }
      last += 1
    }
    replacement.append(mapping)
    replacement.sort { $0.start < $1.start }
    mappings.replaceSubrange(first..<last, with: replacement)
  }

  /// The mapping that contains `address`.
  public func find(_ address: UInt64) -> ModuleMapping? {
    let next = mappings.partitioningIndex { $0.start > address }
    guard next > 0, address < mappings[next - 1].end else { return nil }
    return mappings[next - 1]
  }
}
