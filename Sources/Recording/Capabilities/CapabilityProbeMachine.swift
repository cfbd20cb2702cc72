import CPFM
import Glibc

/// What does not depend on tracepoints.
extension CapabilityProbe {
  mutating func memory() {
    guard let sampler = FootprintSampler(pid: getpid()), sampler.sample() != nil else {
      return add(
        "memory", .unavailable, "the footprint is not measured",
        Refusal(cause: "/proc/self/status cannot be read", fix: "mount /proc"))
    }
    if sampler.readsTransfers {
      add("memory", .full, "footprint, faults, and bytes read and written")
    } else {
      add(
        "memory", .degraded, "footprint and faults, without bytes read and written",
        Refusal(cause: "/proc/PID/io cannot be read: the kernel lacks it, or hides it"))
    }
  }

  mutating func counters() {
    let set = CounterSet.open(pid: getpid())
    let missing = set.unavailable.map { "\($0.name): \($0.reason)" }.joined(separator: "; ")
    let present = set.names.joined(separator: ", ")
    if set.unavailable.isEmpty {
      add("counters", set.names.contains { $0.hasSuffix(":u") } ? .degraded : .full, present)
    } else if set.names.isEmpty {
      add(
        "counters", .unavailable, "no instructions, cycles or energy; energy is modelled",
        Refusal(cause: missing))
    } else {
      add("counters", .degraded, present, Refusal(cause: missing))
    }
  }

  mutating func energyMeters() {
    guard let source = PowerSource(pid: getpid()) else {
      return add(
        "energy meters", .unavailable, "energy is modelled",
        Refusal(
          cause: "there is no zone in /sys/class/powercap, no discharging battery in"
            + " /sys/class/power_supply and no rail in /sys/class/hwmon, as is usual in virtual machines"
        ))
    }
    let names = source.readings(now: 0, final: false).map(\.name).filter {
      $0 != PowerSource.busyTime
    }
    if names.isEmpty {
      add(
        "energy meters", .unavailable, "energy is modelled",
        Refusal(cause: "the machine's meters cannot be read", fix: "run as root"))
    } else {
      add("energy meters", .full, names.joined(separator: ", "))
    }
  }

  mutating func cpuSamples() {
    let fields = Self.base | Self.callchain | Self.userRegisters | Self.userStack
    func sampling(on place: Place = .ownThread, excludeKernel: Bool = false) -> Int32? {
      open(
        type: EventSpec.Kind.software.type, config: 0, on: place, period: 10_000_000,
        sampleType: fields,
        registers: EventPlan.stackRegisters, stack: 1024, excludeKernel: excludeKernel)
    }
    guard let cause = sampling() else {
      guard let ofCPUs = sampling(on: .wholeCPU) else {
        return add("CPU samples", .full, "97 a second, with stacks")
      }
      return add(
        "CPU samples", .degraded,
        "97 a second, but none of threads and processes that take less than 10 ms",
        explanation.event(ofCPUs, needsCapability: false, userLevel: 0))
    }
    let refusal = explanation.event(cause, needsCapability: false)
    if sampling(excludeKernel: true) == nil {
      add("CPU samples", .degraded, "in the program only, not in the kernel", refusal)
    } else {
      add(
        "CPU samples", .unavailable, "where the program computes is not known",
        explanation.event(cause, needsCapability: false, userLevel: 2))
    }
  }

  mutating func swiftNames() {
    if !readsSymbols {
      add(
        "Swift names", .unavailable, "functions are shown as module and offset",
        Refusal(cause: "libdw is not installed", fix: "apt-get install libdw1"))
    } else if ProcessProbe.isSwift(pid: getpid()) != nil {
      add("Swift names", .full, "from the program's own symbols")
    } else {
      add(
        "Swift names", .unavailable, "modules and symbols cannot be found",
        Refusal(cause: "/proc/self/maps and /proc/self/exe cannot be read", fix: "mount /proc"))
    }
  }

  mutating func kernelNames() {
    let symbols = KernelSymbols()
    guard let reason = symbols.unavailableReason else {
      return add("kernel names", .full, "\(symbols.count) functions")
    }
    let level = KernelFile.integer("/proc/sys/kernel/kptr_restrict") ?? 0
    let mayRead = explanation.privileges.has(.syslog)
    let fix: String? =
      level >= 2
      ? "`sudo sysctl kernel.kptr_restrict=1`" + (mayRead ? "" : ", and \(explanation.raiseFix)")
      : mayRead ? nil : explanation.raiseFix
    add(
      "kernel names", .degraded, "kernel frames are addresses",
      Refusal(cause: reason, fix: fix))
  }

  mutating func otherProcesses() {
    let user = geteuid()
    var isAnyForeign = false
    for pid in KernelFile.numbers(in: "/proc") {
      var information = stat()
      guard stat("/proc/\(pid)", &information) == 0, information.st_uid != user,
        !ProcessProbe.isKernelThread(pid: pid)
      else { continue }
      isAnyForeign = true
      if ProcessProbe.isTraceable(pid: pid) {
        return add("attach", .full, "to every process")
      }
    }
    let mayTrace = explanation.privileges.has(.trace)
    if mayTrace, !isAnyForeign { return add("attach", .full, "to every process") }
    let refusal =
      mayTrace
      ? Refusal(cause: "a security module guards others' processes", error: "EACCES")
      : Refusal(
        cause: "others' processes need CAP_SYS_PTRACE", error: "EACCES",
        fix: explanation.raiseFix)
    add("attach", .degraded, "to your own processes only", refusal)
  }

  mutating func ringBuffers() {
    var code = lull_event_code()
    code.type = EventSpec.Kind.software.type
    code.config = EventSpec.dummy
    code.exclude_kernel = 1
    let descriptor = lull_probe_open(
      &code, 0, SystemInfo.onlineCPUs().first ?? 0, 1, Self.base, 0, 0,
      UInt32(LULL_EVENT_DISABLED))
    guard descriptor >= 0 else {
      return add(
        "ring buffers", .unavailable, "nothing can be recorded but what /proc tells",
        explanation.event(-descriptor, needsCapability: false, userLevel: 2))
    }
    defer { close(descriptor) }
    let pageKilobytes = max(1, Int(sysconf(Int32(_SC_PAGESIZE))) / 1024)
    guard let share = RingShare.bytes(cpus: SystemInfo.onlineCPUs().count) else {
      return add(
        "ring buffers", .unavailable, "not every CPU's buffer finds room",
        explanation.ring(EPERM, kilobytes: 516))
    }
    let smallest = RingShare.smallest >> 10
    var kilobytes = min(share >> 10, 2048)
    var result = lull_probe_map(descriptor, UInt32(kilobytes / pageKilobytes))
    while result < 0, kilobytes > smallest {
      kilobytes /= 2
      result = lull_probe_map(descriptor, UInt32(kilobytes / pageKilobytes))
    }
    guard result == 0 else {
      return add(
        "ring buffers", .unavailable, "no buffer for events can be mapped",
        explanation.ring(-result, kilobytes: 516))
    }
    add("ring buffers", kilobytes >= 512 ? .full : .degraded, "\(kilobytes) kB a CPU")
  }
}
