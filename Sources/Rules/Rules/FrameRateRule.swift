/// Nothing is to be drawn faster than needed.
package enum FrameRateRule: NotObservableRule {
  package static let reason =
    "a program hands its pictures to the display server through memory that both have, and the page flips are the "
    + "server's; the kernel's events of graphics are not recorded"

  package static let metadata: RuleMetadata = listed(
    "frame-rate", "Draw no faster than needed", .cpu, [Guide.reducePower, Guide.interrupted2015],
    advice: "Draw when something changed, follow the display by frame callbacks, and stop "
      + "drawing when the window is hidden.")

  package static let sightings: [(prefix: String, meaning: String)] = [
    ("/dev/dri/", "the program draws through the graphics driver")
  ]
}
