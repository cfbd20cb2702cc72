import PerfData

/// What a trace says of its events.
extension EventSet {
  /// What can be written to the trace: an attribute for each event that is open.
  var attributes: [EventAttribute] {
    events.filter { !$0.ids.isEmpty }.map { opened in
      EventAttribute(
        type: opened.spec.kind.type, config: opened.spec.config, sampleType: opened.spec.fields,
        readFormat: opened.countsLost ? EventRequest.formatLost : 0,
        sampleRegsUser: opened.spec.registers, sampleStackUser: opened.spec.stackBytes,
        flags: opened.spec.flags, samplePeriod: opened.spec.period, ids: opened.ids,
        name: opened.spec.name)
    }
  }

  /// The format texts of the open tracepoints, each once.
  var formats: [TracingData.Format] {
    var seen: Set<UInt64> = []
    return events.compactMap { opened in
      guard !opened.ids.isEmpty, let text = opened.spec.format,
        seen.insert(opened.spec.config).inserted
      else { return nil }
      return TracingData.Format(system: opened.spec.system, text: text)
    }
  }

  /// Whether a process that runs another program is told of.
  var tellsPrograms: Bool {
    events.contains { $0.spec.flags & EventSpec.Flag.commExec != 0 && !$0.ids.isEmpty }
  }

  /// Whether an event is open in one of its forms, as of the threads where that of the CPUs is refused.
  private func isOpen(_ name: String) -> Bool {
    events.contains { $0.spec.name == name && !$0.ids.isEmpty }
  }

  /// Whether the switches of the recorded threads are told of.
  var tellsSwitches: Bool {
    events.contains { $0.spec.flags & EventSpec.Flag.contextSwitch != 0 && !$0.ids.isEmpty }
  }

  /// Whether samples of running code are taken, and none while the kernel works for the program.
  var samplesLeaveOutKernel: Bool {
    events.contains {
      $0.spec.purpose == .cpuSamples && $0.spec.flags & EventSpec.Flag.excludeKernel != 0
        && !$0.ids.isEmpty
    }
  }

  /// Whether what sockets of the recorded processes carry is told of, by the kernel's addresses of those.
  var tellsTransfers: Bool { isOpen("sock:sock_send_length") }

  /// What could not be opened, with the reasons.
  var unavailable: [CaptureEvent.Unavailable] {
    events.compactMap { opened in
      // What could only take the place of another is missed by nobody.
      guard opened.spec.replaced == nil, !opened.spec.isKernels, !isOpen(opened.spec.name)
      else { return nil }
      return opened.failure.map { .init(opened.spec.purpose, $0) }
    }
  }
}
