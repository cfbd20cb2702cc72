import PerfData

/// The tracepoints that `TraceBuilder` knows, with the layouts of x86-64 kernels.
package enum BuiltTracepoint: String, CaseIterable, Sendable {
  /// A CPU goes from one thread to another.
  case schedSwitch = "sched:sched_switch"
  /// The same tracepoint, opened again with stacks.
  case schedSwitchStack = "sched:sched_switch/stack/"
  /// A thread is about to be made runnable.
  case schedWaking = "sched:sched_waking"
  /// A new thread is made runnable.
  case schedWakeupNew = "sched:sched_wakeup_new"
  /// A system call returns.
  case sysExit = "raw_syscalls:sys_exit"
  /// A system call comes back with nothing: only in traces that were asked for it.
  case spin = "raw_syscalls:sys_exit/spin/"
  /// fsync begins.
  case enterFsync = "syscalls:sys_enter_fsync"
  /// fdatasync begins.
  case enterFdatasync = "syscalls:sys_enter_fdatasync"
  /// Bytes went out by a socket.
  case socketSend = "sock:sock_send_length"
  /// Bytes came in by a socket.
  case socketReceive = "sock:sock_recv_length"
  /// A TCP socket changed its state.
  case socketState = "sock:inet_sock_set_state"
  /// A signal was sent.
  case signal = "signal:signal_generate"
  /// open was called.
  case open = "lull_1:open64"
  /// open returned.
  case opened = "lull_1:open64_ret"
  /// rename was called.
  case rename = "lull_1:rename"
  /// unlink was called.
  case unlink = "lull_1:unlink"
  /// A job of Swift concurrency begins, and has ended: only in traces that were asked for them.
  case jobRun = "lull_1:swift_job_run"
  case jobRan = "lull_1:swift_job_run_ret"

  /// Those of every trace.
  static let usual = allCases.filter { $0 != .jobRun && $0 != .jobRan && $0 != .spin }

  /// The tracepoint's id; the same kernel event opened twice has one id.
  package var id: Int {
    switch self {
    case .schedSwitch, .schedSwitchStack: return 372
    case .schedWaking: return 375
    case .schedWakeupNew: return 373
    case .sysExit, .spin: return 442
    case .enterFsync: return 901
    case .enterFdatasync: return 902
    case .socketSend: return 2284
    case .socketReceive: return 2283
    case .socketState: return 2287
    case .signal: return 261
    case .open: return 3001
    case .opened: return 3002
    case .rename: return 3003
    case .unlink: return 3004
    case .jobRun: return 3005
    case .jobRan: return 3006
    }
  }

  /// Such as `sched`.
  package var system: String {
    String(rawValue.prefix { $0 != ":" })
  }

  /// Such as `sched_switch`.
  package var name: String {
    String(rawValue.drop { $0 != ":" }.dropFirst().prefix { $0 != "/" })
  }

  /// Type, name (with brackets for arrays), offset, size and sign of the event's own fields.
  private var layout: [(String, Int, Int, Bool)] {
    switch self {
    case .schedSwitch, .schedSwitchStack:
      return [
        ("char prev_comm[16]", 8, 16, false), ("pid_t prev_pid", 24, 4, true),
        ("int prev_prio", 28, 4, true), ("long prev_state", 32, 8, true),
        ("char next_comm[16]", 40, 16, false), ("pid_t next_pid", 56, 4, true),
        ("int next_prio", 60, 4, true),
      ]
    case .schedWaking, .schedWakeupNew:
      return [
        ("char comm[16]", 8, 16, false), ("pid_t pid", 24, 4, true), ("int prio", 28, 4, true),
        ("int target_cpu", 32, 4, true),
      ]
    case .sysExit, .spin: return [("long id", 8, 8, true), ("long ret", 16, 8, true)]
    case .enterFsync, .enterFdatasync:
      return [("int __syscall_nr", 8, 4, true), ("unsigned int fd", 16, 8, false)]
    case .socketSend, .socketReceive:
      return [
        ("void * sk", 8, 8, false), ("__u16 family", 16, 2, false),
        ("__u16 protocol", 18, 2, false), ("int ret", 20, 4, true), ("int flags", 24, 4, true),
      ]
    case .socketState:
      return [
        ("const void * skaddr", 8, 8, false), ("int oldstate", 16, 4, true),
        ("int newstate", 20, 4, true), ("__u16 sport", 24, 2, false),
        ("__u16 dport", 26, 2, false), ("__u16 family", 28, 2, false),
        ("__u16 protocol", 30, 2, false), ("__u8 saddr[4]", 32, 4, false),
        ("__u8 daddr[4]", 36, 4, false), ("__u8 saddr_v6[16]", 40, 16, false),
        ("__u8 daddr_v6[16]", 56, 16, false),
      ]
    case .signal:
      return [
        ("int sig", 8, 4, true), ("int errno", 12, 4, true), ("int code", 16, 4, true),
        ("char comm[16]", 20, 16, false), ("pid_t pid", 36, 4, true), ("int group", 40, 4, true),
        ("int result", 44, 4, true),
      ]
    case .open:
      return [
        ("unsigned long __probe_ip", 8, 8, false), ("__data_loc char[] path", 16, 4, false),
        ("u32 flags", 20, 4, false),
      ]
    case .opened:
      return [
        ("unsigned long __probe_func", 8, 8, false), ("unsigned long __probe_ret_ip", 16, 8, false),
        ("s32 fd", 24, 4, true),
      ]
    case .rename:
      return [
        ("unsigned long __probe_ip", 8, 8, false), ("__data_loc char[] old", 16, 4, false),
        ("__data_loc char[] new", 20, 4, false),
      ]
    case .unlink:
      return [
        ("unsigned long __probe_ip", 8, 8, false), ("__data_loc char[] path", 16, 4, false),
      ]
    case .jobRun:
      return [
        ("unsigned long __probe_ip", 8, 8, false), ("u64 job", 16, 8, false),
        ("u64 resume", 24, 8, false), ("u64 executor", 32, 8, false), ("u32 flags", 40, 4, false),
        ("u64 caller", 48, 8, false),
      ]
    case .jobRan:
      return [
        ("unsigned long __probe_func", 8, 8, false), ("unsigned long __probe_ret_ip", 16, 8, false),
      ]
    }
  }

  /// The text that tracefs would give as `format`.
  package var formatText: String {
    let common: [(String, Int, Int, Bool)] = [
      ("unsigned short common_type", 0, 2, false), ("unsigned char common_flags", 2, 1, false),
      ("unsigned char common_preempt_count", 3, 1, false), ("int common_pid", 4, 4, true),
    ]
    func line(_ field: (String, Int, Int, Bool)) -> String {
      let sign = field.3 ? 1 : 0
      return "\tfield:\(field.0);\toffset:\(field.1);\tsize:\(field.2);\tsigned:\(sign);\n"
    }
    return "name: \(name)\nID: \(id)\nformat:\n" + common.map(line).joined() + "\n"
      + layout.map(line).joined() + "\nprint fmt: \"%d\", REC->common_pid\n"
  }

  /// The parsed layouts; each record of a trace that is built asks for one.
  private static let formats = Dictionary(
    uniqueKeysWithValues: allCases.map { ($0, $0.parsed) })

  private var parsed: TracepointFormat {
    TracepointFormat(parsing: formatText, system: system)
      ?? TracepointFormat(system: system, name: name, id: id, fields: [])
  }

  /// The parsed layout.
  package var format: TracepointFormat { Self.formats[self, default: parsed] }

  /// A payload with the given fields; dynamic strings go behind the fixed part.
  package func payload(
    _ integers: [String: Int64], texts: [String: String] = [:], bytes: [String: [UInt8]] = [:],
    flags: UInt8 = 0
  ) -> [UInt8] {
    let format = format
    var integers = integers
    integers["common_type"] = Int64(id)
    integers["common_flags"] = Int64(flags)
    let size = format.fields.map { $0.offset + $0.size }.max() ?? 8
    var payload = [UInt8](repeating: 0, count: (size + 3) / 4 * 4)
    for field in format.fields {
      var content: [UInt8] = bytes[field.name] ?? []
      if let text = texts[field.name] { content = Array(text.utf8) + [0] }
      if field.isDynamic {
        integers[field.name] = Int64(payload.count | content.count << 16)
        payload += content
        while payload.count % 4 != 0 { payload.append(0) }
      } else if field.isArray {
        for (index, byte) in content.prefix(field.size).enumerated() {
          payload[field.offset + index] = byte
        }
      }
      guard !field.isArray, let value = integers[field.name] else { continue }
      for index in 0..<field.size {
        payload[field.offset + index] = UInt8(truncatingIfNeeded: value >> Int64(8 * index))
      }
    }
    return payload
  }

  /// A payload whose threads, but for the idle task, have ids that are higher by so many.
  func shifting(_ payload: [UInt8], by offset: Int32) -> [UInt8] {
    guard offset != 0 else { return payload }
    var payload = payload
    for name in ["common_pid", "prev_pid", "next_pid", "pid"] {
      guard let field = format.field(name), field.offset + 4 <= payload.count else { continue }
      payload.withUnsafeMutableBytes { bytes in
        let id = bytes.loadUnaligned(fromByteOffset: field.offset, as: Int32.self)
        guard id > 0 else { return }
        bytes.storeBytes(of: id + offset, toByteOffset: field.offset, as: Int32.self)
      }
    }
    return payload
  }
}
