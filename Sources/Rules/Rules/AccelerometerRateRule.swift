/// Motion sensors are to be read no faster than needed.
package enum AccelerometerRateRule: NotObservableRule {
  package static let reason =
    "how often a sensor delivers is set in its driver, and how often is needed the program alone knows; a sensor that "
    + "is opened is shown, and what its interrupts wake counts in idle-wakeups"

  package static let metadata: RuleMetadata = listed(
    "accelerometer-rate", "Read motion sensors no faster than needed", .cpu, [Guide.reducePower],
    advice: "Set sampling_frequency of the iio device to the least that serves, and close the "
      + "device when it is not needed.")

  package static let sightings: [(prefix: String, meaning: String)] = [
    ("/dev/iio", "a sensor of the industrial I/O subsystem is read"),
    ("/dev/input/event", "an input device is read"),
    ("/sys/bus/iio/", "a sensor of the industrial I/O subsystem is read"),
  ]
}
