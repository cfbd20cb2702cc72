/// Nothing is to be drawn faster than needed.
public enum FrameRateRule: NotObservableRule {
  public static let reason =
    "frames are drawn by the display server, and page flips were not recorded"

  public static let metadata: RuleMetadata = listed(
    "frame-rate", "Draw no faster than needed", .cpu, [Guide.reducePower, Guide.interrupted2015],
    advice: "Draw when something changed, follow the display by frame callbacks, and stop "
      + "drawing when the window is hidden.")

  public static let sightings: [(prefix: String, meaning: String)] = [
    ("/dev/dri/", "the program draws through the graphics driver")
  ]
}
