/// Wi-Fi is to be kept on only when it is needed.
package enum PersistentWiFiKeyRule: NotObservableRule {
  package static let reason =
    "it is a key in an app's property list; on Linux the network manager decides"

  package static let metadata: RuleMetadata = listed(
    "persistent-wifi-key", "Keep Wi-Fi on only when needed", .network, [Guide.wifi],
    advice: "Leave the interface to the network manager, and do not hold a power-save inhibitor "
      + "(iw set power_save off).")
}
