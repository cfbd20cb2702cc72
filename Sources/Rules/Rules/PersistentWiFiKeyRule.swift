/// That Wi-Fi is needed is to be declared.
package enum PersistentWiFiKeyRule: NotObservableRule {
  package static let reason =
    "it is a key in an app's property list, without which iOS turns Wi-Fi off after half an hour; Linux has none, "
    + "and the network manager decides"

  package static let metadata: RuleMetadata = listed(
    "persistent-wifi-key", "Declare that Wi-Fi is needed", .network, [Guide.wifi],
    advice:
      "On Apple's systems set UIRequiresPersistentWiFi in a program that uses Wi-Fi, and in no other. On Linux "
      + "leave the interface to the network manager.")
}
