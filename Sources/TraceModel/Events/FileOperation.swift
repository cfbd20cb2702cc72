import PerfData
import Quantities

/// Something done to a file.
public struct FileOperation: Sendable {
  public enum Kind: Hashable, Sendable {
    case write, sync, truncate
    /// A read: all of files where the capture says so, else those of 64 KiB or more.
    case read
    case open(truncates: Bool)
    case rename(from: String)
    case unlink

    /// Tells most kinds from each other.
    var hint: Int {
      switch self {
      case .write: 0
      case .sync: 1
      case .truncate: 2
      case .read: 3
      case .open: 4
      case .rename: 5
      case .unlink: 6
      }
    }
  }

  public var time: Timestamp
  public var pid: Int32
  public var tid: Int32
  public var kind: Kind
  /// The path; nil when no source could tell it.
  public var path: String?
  /// What the descriptor is; nil when no source could tell it.
  public var target: DescriptorEvent.Kind?
  public var bytes: UInt64
  /// How many operations this one stands for: above 1 where the recorder sampled.
  public var weight: UInt64
  /// How long a sync took; nil where its start was not recorded, and of all else.
  public var duration: TimeSpan?
  /// Index into `Trace.stacks`, where the stack of this operation was taken.
  public var stack: Int?
  /// Where in the file it was done, for calls that say so.
  public var offset: UInt64?
  /// Number of the system call that did it, where the trace tells it.
  public var call: Int32?

  /// Storage: a regular file that is not on tmpfs, /proc or /dev.
  public var isDisk: Bool { target == .regular }
}

extension FileOperation {
  /// What many operations have in common.
  public struct Shape: Hashable, Sendable {
    public var pid: Int32
    public var tid: Int32
    public var kind: Kind
    public var path: String?
    public var target: DescriptorEvent.Kind?
    public var weight: UInt64
    public var stack: Int?
    public var call: Int32?

    /// Storage: a regular file that is not on tmpfs, /proc or /dev.
    public var isDisk: Bool { target == .regular }
  }

  var shape: Shape {
    Shape(
      pid: pid, tid: tid, kind: kind, path: path, target: target, weight: weight, stack: stack,
      call: call)
  }

  init(
    _ shape: Shape, time: Timestamp, bytes: UInt64, duration: TimeSpan?, offset: UInt64?
  ) {
    self.init(
      time: time, pid: shape.pid, tid: shape.tid, kind: shape.kind, path: shape.path,
      target: shape.target, bytes: bytes, weight: shape.weight, duration: duration,
      stack: shape.stack, offset: offset, call: shape.call)
  }
}
