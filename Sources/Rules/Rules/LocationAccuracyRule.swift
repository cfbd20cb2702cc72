/// Location is to be asked for with no more accuracy than needed.
package enum LocationAccuracyRule: NotObservableRule {
  package static let reason =
    "accuracy is agreed with GeoClue over D-Bus, whose messages no event shows; speaking to gpsd, or reading a "
    + "receiver, "
    + "is shown when it is seen"

  package static let metadata: RuleMetadata = listed(
    "location-accuracy", "Ask for no more location accuracy than needed", .cpu,
    [Guide.reducePower, Guide.location],
    advice: "Ask GeoClue for the accuracy level you need (city, street) and stop the client "
      + "when you have it; with gpsd, unwatch.")

  package static let sightings: [(prefix: String, meaning: String)] = [
    ("gpsd:", "the program speaks to gpsd"),
    ("/dev/ttyUSB", "a serial device, which may be a receiver, is read"),
    ("/dev/gnss", "a satellite receiver is read"),
  ]
}
