/// Every rule of the guides, in the order of the report: measured ones by category, then those that cannot be.
package enum Catalogue {
  /// The rules.
  package static let all: [any Rule.Type] = measured + notObservable.map { $0 }

  /// Rules that are measured where their subject occurs.
  package static let measured: [any Rule.Type] = [
    MainThreadHangsRule.self,
    MainThreadNetworkWaitsRule.self,
    MainThreadFileAccessRule.self,
    MainThreadLockWaitsRule.self,
    MainThreadSleepsRule.self,
    MainThreadComputationRule.self,
    EventLoopBlockingRule.self,
    CooperativePoolBlockingRule.self,
    ThreadChurnRule.self,
    LaunchTimeRule.self,
    LaunchMainThreadWorkRule.self,
    LaunchFileLoadingRule.self,
    TerminationTimeRule.self,
    LateSavesRule.self,
    BackgroundTransitionTimeRule.self,
    ResumeLagRule.self,
    BackgroundLaunchRule.self,
    InactiveWorkRule.self,
    SuspendedLocksRule.self,
    BackgroundWorkRule.self,
    BackgroundSocketsRule.self,
    InactiveTimersRule.self,
    BackgroundFootprintRule.self,
    MemoryWarningResponseRule.self,
    KeepAliveIntervalRule.self,
    WakeHandlerTimeRule.self,
    IdleWakeupsRule.self,
    PollingTimersRule.self,
    WakeupCoalescingRule.self,
    CPUUseRule.self,
    IdleCPUUseRule.self,
    SpinWaitsRule.self,
    AccessorySightingsRule.self,
    RadioDutyCycleRule.self,
    TailEnergyRule.self,
    BurstCoalescingRule.self,
    ServerPollingRule.self,
    ChattyProtocolRule.self,
    BytesTransferredRule.self,
    ConnectionReuseRule.self,
    ConnectionCloseCostRule.self,
    RetryStormsRule.self,
    RadioChoiceRule.self,
    WriteFrequencyRule.self,
    BytesWrittenRule.self,
    WholeFileRewritesRule.self,
    UnchangedRewritesRule.self,
    WriteLocalityRule.self,
    TemporaryFilesRule.self,
    SyncFrequencyRule.self,
    CacheWritesRule.self,
    StructuredDataStoreRule.self,
    BundleWritesRule.self,
    BackupChurnRule.self,
    PeakFootprintRule.self,
    FootprintGrowthRule.self,
    MemorySpikesRule.self,
    LargeFileReadsRule.self,
    MajorFaultsRule.self,
    ResourceSizesRule.self,
    PropertyListFormatRule.self,
    ThumbCodeRule.self,
  ]

  /// Rules that no Linux process can be held to, each with its reason.
  package static let notObservable: [any NotObservableRule.Type] = [
    IdleTimerDisabledRule.self,
    FrameRateRule.self,
    AccelerometerRateRule.self,
    LocationAccuracyRule.self,
    OpenGLInBackgroundRule.self,
    FloatingPointMathRule.self,
    PersistentWiFiKeyRule.self,
    AppSnapshotRule.self,
    LocalNotificationCountRule.self,
  ]

  /// The rule with this id.
  package static func rule(_ id: String) -> (any Rule.Type)? {
    all.first { $0.metadata.id == id }
  }
}
