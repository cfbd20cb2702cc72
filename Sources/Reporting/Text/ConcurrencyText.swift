import Quantities

/// What Swift concurrency did: how many jobs, the longest, and who waited longest for an executor.
enum ConcurrencyText {
  static func write(_ report: Report, to canvas: inout TextCanvas) {
    guard let concurrency = report.signals.concurrency else { return }
    canvas.heading("Swift concurrency")
    canvas.item(
      "jobs",
      "\(Figures.grouped(concurrency.jobs)), \(Figures.grouped(concurrency.mainActorJobs)) of them "
        + "on MainActor for \(Figures.seconds(concurrency.mainActorSeconds)); "
        + "\(Figures.count(concurrency.tasksCreated, "task")) created")
    if let longest = concurrency.longestJobs.first {
      canvas.item("longest", "\(Figures.seconds(longest.durationSeconds))\(place(longest))")
    }
    if let waited = concurrency.longestWaits.first, let seconds = waited.waitSeconds {
      canvas.item("waited", "\(Figures.seconds(seconds)) to run\(place(waited))")
    }
    if let stopped = concurrency.stopped {
      canvas.item("not measured", Escaped.text(stopped), style: .middling)
    }
  }

  private static func place(_ job: JobSection) -> String {
    guard let function = job.function else { return job.isMainActor ? ", on MainActor" : "" }
    let frame = ReportFrame(
      function: function, module: job.module ?? "", file: job.file, line: job.line, isProgram: true)
    return (job.isMainActor ? ", on MainActor: " : ": ") + TextReport.place(frame)
  }
}
