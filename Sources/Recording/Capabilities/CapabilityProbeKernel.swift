import Glibc

/// What programs in the kernel could record.
extension CapabilityProbe {
  /// Loads the programs and runs them for no process.
  mutating func kernelPrograms() {
    let name = "kernel programs"
    do throws(KernelPrograms.Absence) {
      try KernelPrograms().attach()
      add(
        name, .full,
        "all switches, wakeups, transfers and file calls at any rate")
    } catch {
      add(
        name, .degraded, "perf events instead, which are sampled at high rates",
        Refusal(cause: error.cause, error: error.error.map(Refusal.name(of:)), fix: error.fix))
    }
  }
}
