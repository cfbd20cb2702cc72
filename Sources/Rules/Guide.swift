/// The sections of the tuning guides that rules stand on.
enum Guide {
  private static let ap10 = "iOS Application Programming Guide (2010-06-30)"
  private static let apg = "App Programming Guide for iOS"
  private static let ast = "Strategies for Handling App State Transitions (2015-09-16)"
  private static let asm = "App States and Multitasking"

  private static func section(_ document: String, _ section: String) -> GuideCitation {
    GuideCitation(document: document, section: section)
  }

  static let doNotBlock = section(ap10, "Do Not Block the Main Thread")
  static let reducePower = section(ap10, "Reduce Power Consumption")
  static let networking = section(ap10, "Tips for Efficient Networking")
  static let wifi = section(ap10, "Using Wi-Fi")
  static let fileAccess = section(ap10, "Improve File Access Times")
  static let backedUp = section(ap10, "What Is Backed Up?")
  static let useMemory = section(ap10, "Use Memory Efficiently")
  static let reduceFootprint = section(ap10, "Reduce Your Application's Memory Footprint")
  static let allocate = section(ap10, "Allocate Memory Wisely")
  static let lowMemory = section(ap10, "Observing Low-Memory Warnings")
  static let floatingPoint = section(ap10, "Floating-Point Math Considerations")
  static let termination10 = section(ap10, "Responding to Application Termination")
  static let launching10 = section(ap10, "Launching the Application")
  static let background10 = section(ap10, "Moving to the Background")
  static let saving10 = section(ap10, "Preserving the Application's Current State")
  static let screenLock10 = section(ap10, "Turning Off Screen Locking")
  static let interruptions10 = section(ap10, "Responding to Interruptions")
  static let keepAlive = section(ap10, "Installing a Keep-Alive Handler")
  static let responsible10 = section(ap10, "Being a Responsible, Multitasking-Aware Application")
  static let localNotifications = section(ap10, "Scheduling the Delivery of Local Notifications")

  static let voip = section(apg, "Tips for Developing a VoIP App")
  static let location = section(apg, "Tracking the User's Location")
  static let terminationAPG = section(apg, "App Termination")
  static let threads = section(apg, "Threads and Concurrency")
  static let responsible = section(apg, "Being a Responsible Background App")
  static let accessories = section(apg, "Communicating with an External Accessory")
  static let reachability = section(
    apg, "Using the Reachability Interfaces to Improve the User Experience")

  static let launch2015 = section(ast, "What to Do at Launch Time")
  static let dataFiles = section(ast, "Installing App-Specific Data Files at First Launch")
  static let interrupted2015 = section(ast, "What to Do When Your App Is Interrupted Temporarily")
  static let background2015 = section(ast, "What to Do When Your App Enters the Background")
  static let snapshot2015 = section(ast, "Prepare for the App Snapshot")
  static let footprint2015 = section(ast, "Reduce Your Memory Footprint")

  static let queued2015 = section(ast, "Be Prepared to Process Queued Notifications")
  static let queued = section(asm, "Processing Queued Notifications at Wakeup Time")

  static let launch = section(asm, "What to Do at Launch Time")
  static let termination = section(asm, "App Termination")
  static let concurrency = section(asm, "Concurrency and Secondary Threads")
  static let interruption = section(asm, "What to Do When an Interruption Occurs")
  static let background = section(asm, "What to Do When Moving to the Background")
  static let backgroundMemory = section(asm, "Memory Usage for Background Apps")
  static let responsibleMultitasking = section(asm, "Being a Responsible Background App")
  static let accessoriesMultitasking = section(asm, "Communicating with an External Accessory")
}
