/// At most 128 notifications are to be waiting.
package enum LocalNotificationCountRule: NotObservableRule {
  package static let reason =
    "Linux has no store of scheduled notifications that a process could fill"

  package static let metadata: RuleMetadata = listed(
    "local-notification-count", "Schedule at most 128 notifications", .lifeCycle,
    [Guide.localNotifications],
    advice: "Schedule the next few, and the rest when those were shown.")
}
