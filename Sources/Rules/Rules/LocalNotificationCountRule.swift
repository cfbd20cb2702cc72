/// At most 128 notifications are to be waiting.
public enum LocalNotificationCountRule: NotObservableRule {
  public static let reason =
    "Linux has no store of scheduled notifications that a process could fill"

  public static let metadata: RuleMetadata = listed(
    "local-notification-count", "Schedule at most 128 notifications", .lifeCycle,
    [Guide.localNotifications],
    advice: "Schedule the next few, and the rest when those were shown.")
}
