/// The sections of the tuning guides that rules stand on.
enum Guide {
  private static let ap10 = "iOS Application Programming Guide (2010-06-30)"
  private static let apg = "App Programming Guide for iOS"
  private static let ast = "Strategies for Handling App State Transitions (2015-09-16)"
  private static let asm = "App States and Multitasking"

  static let doNotBlock = GuideCitation(document: ap10, section: "Do Not Block the Main Thread")
  static let reducePower = GuideCitation(document: ap10, section: "Reduce Power Consumption")
  static let networking = GuideCitation(document: ap10, section: "Tips for Efficient Networking")
  static let fileAccess = GuideCitation(document: ap10, section: "Improve File Access Times")
  static let useMemory = GuideCitation(document: ap10, section: "Use Memory Efficiently")
  static let reduceFootprint = GuideCitation(
    document: ap10, section: "Reduce Your Application's Memory Footprint")
  static let termination10 = GuideCitation(
    document: ap10, section: "Responding to Application Termination")
  static let threads = GuideCitation(document: apg, section: "Threads and Concurrency")
  static let launch2015 = GuideCitation(document: ast, section: "What to Do at Launch Time")
  static let launch = GuideCitation(document: asm, section: "What to Do at Launch Time")
  static let termination = GuideCitation(document: asm, section: "App Termination")
  static let concurrency = GuideCitation(
    document: asm, section: "Concurrency and Secondary Threads")
}
