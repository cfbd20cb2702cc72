/// Nothing is to be drawn in the background.
package enum OpenGLInBackgroundRule: NotObservableRule {
  package static let reason =
    "drawing commands go to the graphics driver by memory; what a driver tells of its engines "
    + "(/proc/PID/fdinfo) is not "
    + "recorded, and a graphics device that is opened is shown"

  package static let metadata: RuleMetadata = listed(
    "opengl-in-background", "Do not draw in the background", .lifeCycle,
    [Guide.responsible10, Guide.background2015],
    advice: "Stop the render loop when the window is hidden (wl_surface frame callbacks stop by "
      + "themselves).")

  package static let sightings: [(prefix: String, meaning: String)] = [
    ("/dev/dri/", "the program draws through the graphics driver")
  ]
}
