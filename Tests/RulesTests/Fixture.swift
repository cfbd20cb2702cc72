import Signals

/// Measured signals of imagined programs.
enum Fixture {
  /// A run-loop program that ticks once a second, saves a file once and answers a few events.
  static var wellBehaved: SignalSet {
    SignalSet(
      durationSeconds: 10,
      mainThread: MainThreadSignal(
        threadID: 1, threadName: "main", turns: 12, runningSeconds: 0.02, runnableSeconds: 0.001,
        blockedSeconds: 0.003, idleSeconds: 9.9, blockedByCause: [.file: 0.002, .lock: 0.001]),
      threads: [ThreadSignal(tid: 1, name: "main", cpuSeconds: 0.05, wakeups: 14, idleWakeups: 11)],
      wakeups: WakeupSignal(
        total: 40, perSecond: 4, idle: 22, idlePerSecond: 2.2, byCause: [.timer: 11],
        timers: [TimerSignal(tid: 1, thread: "main", periodSeconds: 1, count: 10)],
        coalescing: CoalescingSignal(timerWakeups: 11, remaining: 11)),
      network: NetworkSignal(),
      disk: DiskSignal(
        writes: 3, bytesWritten: 20_000, smallWrites: 1, syncs: 1, syncSeconds: 0.004,
        writesPerMinute: 18, writeBursts: 1,
        files: [FileUse(path: "state.json", writes: 3, bytesWritten: 20_000, smallWrites: 1)],
        readsMeasured: true),
      memory: MemorySignal(
        peakFootprintBytes: 8_000_000, endFootprintBytes: 7_900_000, growthBytesPerMinute: 1000,
        growthInterval: [-5000, 9000], spikesMeasured: true),
      cpu: CPUSignal(
        totalSeconds: 0.06, medianShare: 0.004, p95Share: 0.04, idleSeconds: 9,
        idleCPUSeconds: 0.001),
      lifecycle: LifecycleSignal(
        launchSeconds: 0.03, terminationSeconds: 0.01, launchHow: "first event wait",
        terminationSignal: 15,
        launch: LaunchSignal(seconds: 0.03, runningSeconds: 0.02, bytesRead: 40_000)),
      churn: ThreadChurnSignal(created: 2, repeated: 1), spins: SpinSignal(),
      executable: "/opt/app/app")
  }
}
