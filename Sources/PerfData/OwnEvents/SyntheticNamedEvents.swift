/// The name of a kernel function seen in a callchain.
public struct KernelSymbolEvent: SyntheticPayload, Hashable {
  /// The attribute under which it is written.
  public static let event = SyntheticEvent.kernelSymbol

  /// First address of the function.
  public var address: UInt64
  /// The function's name.
  public var name: String

  /// Makes an event.
  public init(
    address: UInt64, name: String
  ) {
    self.address = address
    self.name = name
  }
}

/// A counter's value at the sample's time.
public struct CounterEvent: SyntheticPayload, Hashable {
  /// The attribute under which it is written.
  public static let event = SyntheticEvent.counter

  /// The counter's name.
  public var name: String
  /// Its value.
  public var value: Double
  /// Its unit.
  public var unit: String?
  /// Whether this is its last value.
  public var final: Bool
  /// Whether a part of a recording counts from this value; left out where it is counted.
  public var isBase: Bool?

  /// The same value as that from which a part of a recording counts.
  public var asBase: CounterEvent {
    var base = self
    base.isBase = true
    return base
  }

  /// Makes an event.
  public init(
    name: String, value: Double, unit: String? = nil, final: Bool = false
  ) {
    self.name = name
    self.value = value
    self.unit = unit
    self.final = final
  }
}

/// A function's name, embedded in the trace.
public struct SymbolEvent: SyntheticPayload, Hashable {
  /// The attribute under which it is written.
  public static let event = SyntheticEvent.symbol

  /// The number by which stacks name it.
  public var id: Int
  /// The function's name, demangled.
  public var function: String
  /// The name with modules and types, where that is another.
  public var fullName: String?
  /// Name of the module that holds it.
  public var module: String
  /// Address within the module, for a frame without a name.
  public var offset: UInt64?
  /// Source file.
  public var file: String?
  /// Source line.
  public var line: Int?
  /// Whether the function is the kernel's.
  public var isKernel: Bool
  /// Whether it is the program's own rather than a library's.
  public var isProgram: Bool
  /// Whether it left no frame, since calling the function above it was its last act; nil where it did.
  public var isTailCall: Bool?

  /// Makes an event.
  public init(
    id: Int, function: String, module: String, fullName: String? = nil, offset: UInt64? = nil,
    file: String? = nil, line: Int? = nil, isKernel: Bool = false, isProgram: Bool = false,
    isTailCall: Bool? = nil
  ) {
    self.isTailCall = isTailCall
    self.id = id
    self.function = function
    self.fullName = fullName
    self.module = module
    self.offset = offset
    self.file = file
    self.line = line
    self.isKernel = isKernel
    self.isProgram = isProgram
  }
}

/// A resolved stack, embedded in the trace.
public struct StackEvent: SyntheticPayload, Hashable {
  /// The attribute under which it is written.
  public static let event = SyntheticEvent.stack

  /// The time of the sample that it belongs to; with `keys` that of the last one that may be meant.
  public var time: UInt64
  /// The thread of the sample that it belongs to; with `keys` any.
  public var tid: Int
  /// Symbol ids, innermost first; -1 is a gap.
  public var frames: [Int]
  /// Whether the stack reaches the thread's start.
  public var complete: Bool
  /// Later samples of the thread with the same stack, each by the nanoseconds since the one before; nil for none.
  public var later: [Int]?
  /// By what samples that have it are known instead of by their times, where no other event tells of these.
  public var keys: [Int]?

  /// Makes an event.
  public init(
    time: UInt64, tid: Int, frames: [Int], complete: Bool = true, later: [Int]? = nil,
    keys: [Int]? = nil
  ) {
    self.keys = keys
    self.time = time
    self.tid = tid
    self.frames = frames
    self.complete = complete
    self.later = later
  }

  /// The times of all samples that it belongs to; one that cannot be ends the list.
  public var times: [UInt64] {
    var times = [time]
    for distance in later ?? [] {
      guard let last = times.last, distance >= 0 else { break }
      let (next, isOver) = last.addingReportingOverflow(UInt64(distance))
      if isOver { break }
      times.append(next)
    }
    return times
  }
}
