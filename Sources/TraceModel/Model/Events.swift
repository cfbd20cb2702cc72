import PerfData
import Quantities

/// A sleeping thread made runnable (sched:sched_waking).
public struct Wakeup: Sendable {
  /// The context in which the wake was made.
  public enum Context: Sendable {
    case task, softInterrupt, hardInterrupt
    /// The kernel did not tell of the wake, but the thread ran on.
    case unknown
  }

  public var time: Timestamp
  public var tid: Int32
  public var pid: Int32
  /// The thread on the CPU at that moment; it made the wake only in task context.
  public var waker: Int32
  public var wakerPid: Int32
  public var context: Context
  /// What the thread had been waiting for.
  public var waited: WaitCause?
  /// An interrupt made it while the CPU was idle.
  public var cpuWasIdle: Bool

  /// Made in interrupt context: what macOS and iOS count and limit.
  ///
  /// Of a wake that the kernel did not tell, what the thread waited for decides: threads wake each other from locks,
  /// pipes and their children's ends, interrupts do from the rest.
  public var isIdleWakeup: Bool {
    switch context {
    case .task: false
    case .softInterrupt, .hardInterrupt: true
    case .unknown:
      switch waited {
      case .eventWait?, .file?, .sync?, .network?, .sleep?, .pageFault?: true
      case .lock?, .child?, .ipc?, .other?, nil: false
      }
    }
  }

  /// An idle wakeup that made its CPU leave idle.
  ///
  /// One that the kernel did not tell counts: it is in the idle task that the kernel loses tracepoints.
  public var foundCPUIdle: Bool { cpuWasIdle || (context == .unknown && isIdleWakeup) }
}

/// Bytes passed to or from a socket.
public struct Transfer: Sendable {
  public enum Direction: Sendable { case send, receive }

  public var time: Timestamp
  public var pid: Int32
  public var tid: Int32
  public var direction: Direction
  public var bytes: UInt64
  /// How many transfers this one stands for: above 1 where the recorder sampled.
  public var weight: UInt64
  /// The kernel's socket address: an identity, not a place.
  public var socket: UInt64
  /// AF_INET is 2, AF_INET6 is 10, AF_UNIX is 1.
  public var family: Int
  public var transportProtocol: Int
  /// Index into `Trace.stacks`, where the stack of this send was taken.
  public var stack: Int?
  /// Index into `Trace.connections`, where the connection's states were seen.
  public var connection: Int?
  /// It was recorded as one of many, none of which was recorded by itself.
  public var isSample = false

  public var isInternet: Bool { Self.isInternet(family) }

  static func isInternet(_ family: Int) -> Bool { family == 2 || family == 10 }
}

/// A TCP connection as its state changes told it.
public struct Connection: Sendable {
  public var socket: UInt64
  public var transportProtocol: Int
  public var local: String
  public var remote: String
  public var isLoopback: Bool
  public var opened: Timestamp?
  public var closed: Timestamp?
  public var isServerSide: Bool
  public var pid: Int32?
  /// When the handshake was done.
  public var established: Timestamp?

  /// Whether it ended before its handshake did.
  public var hasFailed: Bool { opened != nil && established == nil && closed != nil }
}

/// A socket that waits for connections.
public struct Listener: Sendable {
  public var pid: Int32
  public var local: String
  public var opened: Timestamp?
  public var closed: Timestamp?
}

/// A send that the kernel refused.
public struct TransferFailure: Sendable {
  public var time: Timestamp
  public var pid: Int32
  /// Index into `Trace.connections`, where it is known.
  public var connection: Int?
  /// The error's number.
  public var error: Int
}

/// A call that came back at once with nothing.
public struct SpinCall: Sendable {
  public enum Kind: String, Sendable {
    case yield = "sched_yield"
    case emptyPoll = "poll with a timeout of zero"
    case wouldBlock = "a call that would have blocked"
  }

  public var time: Timestamp
  public var pid: Int32
  public var tid: Int32
  public var kind: Kind
  /// How many calls this one stands for.
  public var weight: UInt64
}

/// Something done to a file.
public struct FileOperation: Sendable {
  public enum Kind: Hashable, Sendable {
    case write, sync, truncate
    /// A read of 64 KiB or more.
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
  /// What the descriptor is: regular, pipe, socket, terminal, tmpfs, proc, device, other, unknown.
  public var target: String
  public var bytes: UInt64
  /// How many operations this one stands for: above 1 where the recorder sampled.
  public var weight: UInt64
  /// How long a sync took, where its start was seen.
  public var duration: TimeSpan
  /// Index into `Trace.stacks`, where the stack of this operation was taken.
  public var stack: Int?
  /// Where in the file it was done, for calls that say so.
  public var offset: UInt64?

  /// Storage: a regular file that is not on tmpfs, /proc or /dev.
  public var isDisk: Bool { target == "regular" }
}

extension FileOperation {
  /// What many operations have in common.
  public struct Shape: Hashable, Sendable {
    public var pid: Int32
    public var tid: Int32
    public var kind: Kind
    public var path: String?
    public var target: String
    public var weight: UInt64
    public var stack: Int?

    /// Storage: a regular file that is not on tmpfs, /proc or /dev.
    public var isDisk: Bool { target == "regular" }
  }

  var shape: Shape {
    Shape(
      pid: pid, tid: tid, kind: kind, path: path, target: target, weight: weight, stack: stack)
  }

  init(
    _ shape: Shape, time: Timestamp, bytes: UInt64, duration: TimeSpan, offset: UInt64?
  ) {
    self.init(
      time: time, pid: shape.pid, tid: shape.tid, kind: shape.kind, path: shape.path,
      target: shape.target, bytes: bytes, weight: shape.weight, duration: duration,
      stack: shape.stack, offset: offset)
  }
}

/// Memory and use of one process at one moment.
public struct Footprint: Sendable {
  public var time: Timestamp
  public var pid: Int32
  public var sample: FootprintSample
}

/// A signal sent to a process.
public struct SignalDelivery: Sendable {
  public var time: Timestamp
  public var pid: Int32
  public var number: Int
}
