/// The layouts of the events' payloads, as tracefs describes them.
extension PreloadEvent {
  private struct Field {
    var declaration: String
    var offset: Int
    var size: Int
    var isSigned: Bool

    /// An unsigned field.
    static func plain(_ declaration: String, _ offset: Int, _ size: Int) -> Field {
      Field(declaration: declaration, offset: offset, size: size, isSigned: false)
    }

    static func signed(_ declaration: String, _ offset: Int, _ size: Int) -> Field {
      Field(declaration: declaration, offset: offset, size: size, isSigned: true)
    }

    var line: String {
      "\tfield:\(declaration);\toffset:\(offset);\tsize:\(size);\tsigned:\(isSigned ? 1 : 0);\n"
    }
  }

  private static let common: [Field] = [
    .plain("unsigned short common_type", 0, 2), .plain("unsigned char common_flags", 2, 1),
    .plain("unsigned char common_preempt_count", 3, 1), .signed("int common_pid", 4, 4),
  ]

  private var fields: [Field] {
    switch self {
    case .sideBand, .processorSample: []
    case .scheduleSwitch:
      [
        .plain("char prev_comm[16]", 8, 16), .signed("pid_t prev_pid", 24, 4),
        .signed("int prev_prio", 28, 4), .signed("long prev_state", 32, 8),
        .plain("char next_comm[16]", 40, 16), .signed("pid_t next_pid", 56, 4),
        .signed("int next_prio", 60, 4),
      ]
    case .systemCallExit, .systemCallStack, .systemCallSpin:
      [.signed("long id", 8, 8), .signed("long ret", 16, 8)]
    case .fsync, .fdatasync: [.signed("int __syscall_nr", 8, 4), .plain("unsigned int fd", 16, 8)]
    case .mmap:
      [
        .signed("int __syscall_nr", 8, 4), .plain("unsigned long addr", 16, 8),
        .plain("unsigned long len", 24, 8), .plain("unsigned long prot", 32, 8),
        .plain("unsigned long flags", 40, 8), .plain("unsigned long fd", 48, 8),
        .plain("unsigned long off", 56, 8),
      ]
    case .send, .sendStack, .receive:
      [
        .plain("void * sk", 8, 8), .plain("__u16 family", 16, 2), .plain("__u16 protocol", 18, 2),
        .signed("int ret", 20, 4), .signed("int flags", 24, 4),
      ]
    case .socketState:
      [
        .plain("const void * skaddr", 8, 8), .signed("int oldstate", 16, 4),
        .signed("int newstate", 20, 4), .plain("__u16 sport", 24, 2), .plain("__u16 dport", 26, 2),
        .plain("__u16 family", 28, 2), .plain("__u16 protocol", 30, 2),
        .plain("__u8 saddr[4]", 32, 4), .plain("__u8 daddr[4]", 36, 4),
        .plain("__u8 saddr_v6[16]", 40, 16), .plain("__u8 daddr_v6[16]", 56, 16),
      ]
    case .open, .unlink: [.signed("__data_loc char[] path", 8, 4), .signed("s32 dir", 12, 4)]
    case .runnerLine: [.signed("__data_loc char[] text", 8, 4)]
    case .opened: [.signed("s32 fd", 8, 4)]
    case .waking:
      [
        .plain("char comm[16]", 8, 16), .signed("pid_t pid", 24, 4), .signed("int prio", 28, 4),
        .signed("int target_cpu", 32, 4),
      ]
    case .signal:
      [
        .signed("int sig", 8, 4), .signed("int errno", 12, 4), .signed("int code", 16, 4),
        .plain("char comm[16]", 20, 16), .signed("pid_t pid", 36, 4), .signed("int group", 40, 4),
        .signed("int result", 44, 4),
      ]
    case .jobBegan:
      [
        .plain("u64 job", 8, 8), .plain("u64 executor", 16, 8), .plain("u64 resume", 24, 8),
        .plain("u32 flags", 32, 4), .plain("u64 caller", 40, 8), .plain("u64 caller2", 48, 8),
        .plain("u64 caller3", 56, 8), .plain("u64 caller4", 64, 8), .plain("u64 caller5", 72, 8),
        .plain("u64 caller6", 80, 8),
      ]
    case .jobEnd, .jobHanded, .taskMade: [.plain("u64 job", 8, 8)]
    case .rename:
      [
        .signed("__data_loc char[] old", 8, 4), .signed("__data_loc char[] new", 12, 4),
        .signed("s32 olddir", 16, 4), .signed("s32 newdir", 20, 4),
      ]
    }
  }

  /// As tracefs would give it, less what it is printed with.
  var format: String {
    "name: \(tracepoint.name)\nID: \(config)\nformat:\n" + Self.common.map(\.line).joined() + "\n"
      + fields.map(\.line).joined() + "\nprint fmt: \"\"\n"
  }
}
