/// Every rule that is measured, in the order of the report.
public enum Catalogue {
  /// The rules.
  public static let all: [any Rule.Type] = [
    MainThreadHangsRule.self,
    MainThreadNetworkWaitsRule.self,
    MainThreadFileAccessRule.self,
    MainThreadLockWaitsRule.self,
    MainThreadSleepsRule.self,
    MainThreadComputationRule.self,
    EventLoopBlockingRule.self,
    CooperativePoolBlockingRule.self,
    LaunchTimeRule.self,
    TerminationTimeRule.self,
    IdleWakeupsRule.self,
    PollingTimersRule.self,
    CPUUseRule.self,
    RadioDutyCycleRule.self,
    TailEnergyRule.self,
    ServerPollingRule.self,
    WriteFrequencyRule.self,
    BytesWrittenRule.self,
    SyncFrequencyRule.self,
    WholeFileRewritesRule.self,
    PeakFootprintRule.self,
    FootprintGrowthRule.self,
  ]

  /// The rule with this id.
  public static func rule(_ id: String) -> (any Rule.Type)? {
    all.first { $0.metadata.id == id }
  }
}
