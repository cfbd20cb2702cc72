/// How the kernel executes the instruction that a uprobe replaces, which decides what a hit costs.
package enum ProbedInstruction: Sendable, Equatable {
  /// Emulated: about half a microsecond.
  case nop
  /// Emulated: about half a microsecond.
  case push
  /// Emulated: about half a microsecond.
  case branch
  /// Executed out of line by single-stepping: about ten microseconds.
  case other

  /// Whether a hit is cheap enough for functions that are called often.
  package var isCheap: Bool { self != .other }

  /// Decodes the first instruction of x86-64 code.
  package init(x86 code: [UInt8]) {
    var rest = code[...]
    let isPrefixed = rest.first.map { $0 & 0xf0 == 0x40 } ?? false
    if isPrefixed { rest = rest.dropFirst() }
    let first = rest.first ?? 0xcc
    let second = rest.dropFirst().first ?? 0
    switch (first, second) {
    case (0x50...0x57, _): self = .push
    case (0x90, _) where !isPrefixed: self = .nop
    case (0x0f, 0x1f) where !isPrefixed: self = .nop
    case (0xe8, _), (0xe9, _), (0xeb, _), (0x70...0x7f, _), (0x0f, 0x80...0x8f):
      self = isPrefixed ? .other : .branch
    default: self = .other
    }
  }
}

/// Where to put a probe in a function.
package struct ProbeSite: Sendable, Equatable {
  /// The place in the file.
  package var fileOffset: UInt64
  /// What the probe replaces.
  package var instruction: ProbedInstruction

  /// Chooses the place: behind a leading `endbr64`, which is not emulated and changes nothing.
  package init(_ function: ElfFile.Function) {
    #if arch(x86_64)
      let endbr: [UInt8] = [0xf3, 0x0f, 0x1e, 0xfa]
      if function.code.starts(with: endbr) {
        fileOffset = function.fileOffset + UInt64(endbr.count)
        instruction = ProbedInstruction(x86: Array(function.code.dropFirst(endbr.count)))
      } else {
        fileOffset = function.fileOffset
        instruction = ProbedInstruction(x86: function.code)
      }
    #else
      // Most instructions are simulated or stepped at a like cost elsewhere.
      fileOffset = function.fileOffset
      instruction = .other
    #endif
  }
}

/// A probe on one function of the C library, and what it fetches.
package struct ProbeTemplate: Sendable, Equatable {
  /// The function's name, which is the entry probe's name too.
  package var function: String
  /// Fetched on entry, in uprobe_events syntax, with `$1`, `$2`, … for the arguments.
  package var entry: String
  /// Fetched on return; the probe's name is the function's with `_ret`.
  package var result: String?
  /// Left out where a hit would cost ten microseconds, since programs call it often.
  package var onlyIfCheap: Bool
  /// What it is recorded for.
  var purpose = Purpose.fileNames
  /// How an entry is kept cheap.
  var cost = EventSpec.Cost.rare
  /// What the recorder itself reads of an entry.
  var payload = EventSpec.Payload.nothing

  /// What Lull probes: each call that opens, names or removes a file by path.
  package static let all: [ProbeTemplate] = [
    ProbeTemplate(
      function: "open64", entry: "path=+0($1):ustring flags=$2:x32", result: "fd=$retval:s32",
      onlyIfCheap: false, payload: .path),
    ProbeTemplate(
      function: "openat64", entry: "dir=$1:s32 path=+0($2):ustring flags=$3:x32",
      result: "fd=$retval:s32", onlyIfCheap: true, payload: .path),
    // What is opened later may be named from there on.
    ProbeTemplate(
      function: "chdir", entry: "path=+0($1):ustring", result: nil, onlyIfCheap: false,
      payload: .path),
    ProbeTemplate(
      function: "rename", entry: "old=+0($1):ustring new=+0($2):ustring", result: nil,
      onlyIfCheap: false),
    ProbeTemplate(
      function: "renameat",
      entry: "olddir=$1:s32 old=+0($2):ustring newdir=$3:s32 new=+0($4):ustring", result: nil,
      onlyIfCheap: false),
    ProbeTemplate(
      function: "renameat2",
      entry: "olddir=$1:s32 old=+0($2):ustring newdir=$3:s32 new=+0($4):ustring flags=$5:x32",
      result: nil, onlyIfCheap: false),
    ProbeTemplate(
      function: "unlink", entry: "path=+0($1):ustring", result: nil, onlyIfCheap: false),
    ProbeTemplate(
      function: "unlinkat", entry: "dir=$1:s32 path=+0($2):ustring flags=$3:x32", result: nil,
      onlyIfCheap: false),
    ProbeTemplate(
      function: "truncate64", entry: "path=+0($1):ustring length=$2:s64", result: nil,
      onlyIfCheap: false),
  ]

  /// What Lull probes in the runtime of Swift concurrency: where a job runs, is handed over, and is made.
  ///
  /// 56 is where a job keeps the function it goes on with (`Job::RunJob`, swift/ABI/Task.h), 32 its flags, whose lowest
  /// byte is 0 in a task, and 64 a task's innermost context: each begins with its caller's, and then has the function
  /// of that to which it returns (`AsyncContext`). The third argument of `swift_job_run` names the executor
  /// (`SerialExecutorRef`).
  package static let concurrency: [ProbeTemplate] = [
    ProbeTemplate(
      function: "swift_job_run",
      entry: "job=$1:x64 executor=$3:x64 resume=+56($1):x64 flags=+32($1):u32"
        + " caller=+8(+64($1)):x64 caller2=+8(+0(+64($1))):x64 caller3=+8(+0(+0(+64($1)))):x64"
        + " caller4=+8(+0(+0(+0(+64($1))))):x64 caller5=+8(+0(+0(+0(+0(+64($1)))))):x64"
        + " caller6=+8(+0(+0(+0(+0(+0(+64($1))))))):x64",
      result: "", onlyIfCheap: true, purpose: .concurrency, cost: .whole(.jobs)),
    ProbeTemplate(
      function: "swift_task_enqueue", entry: "job=$1:x64", result: nil, onlyIfCheap: true,
      purpose: .concurrency),
    ProbeTemplate(
      function: "swift_task_create", entry: "flags=$1:x64", result: nil, onlyIfCheap: true,
      purpose: .concurrency),
  ]

  /// Where Swift makes its dispatch queues: which label each has, by its address.
  package static let queues: [ProbeTemplate] = [
    ProbeTemplate(
      function: "dispatch_queue_create_with_target", entry: "label=+0($1):ustring",
      result: "queue=$retval:x64", onlyIfCheap: false, purpose: .queueLabels)
  ]

  /// Where test runners hand a line to the C library: XCTest prints, Swift Testing writes its lines by `fputs` and its
  /// event stream by `fwrite`.
  package static let tests: [ProbeTemplate] = [
    ProbeTemplate(
      function: "fwrite", entry: "text=+0($1):ustring size=$2:u64 count=$3:u64", result: nil,
      onlyIfCheap: true, purpose: .tests),
    ProbeTemplate(
      function: "fputs", entry: "text=+0($1):ustring", result: nil, onlyIfCheap: true,
      purpose: .tests),
  ]

  /// The entry's fetch arguments with this machine's argument registers.
  package var entryArguments: String { Self.withRegisters(entry) }

  private static func withRegisters(_ text: String) -> String {
    #if arch(arm64)
      let registers = ["%x0", "%x1", "%x2", "%x3", "%x4"]
    #else
      let registers = ["%di", "%si", "%dx", "%cx", "%r8"]
    #endif
    var result = ""
    var rest = text[...]
    while let character = rest.popFirst() {
      if character == "$", let digit = rest.first?.wholeNumberValue,
        digit >= 1, digit <= registers.count
      {
        rest.removeFirst()
        result += registers[digit - 1]
      } else {
        result.append(character)
      }
    }
    return result
  }
}
