import Foundation
import Glibc

/// A headless Chromium, driven by the DevTools protocol over a pair of named pipes.
final class Browser {
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// Where Chromium is, if it is installed.
  static let path: String? = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].first {
    access($0, X_OK) == 0
  }

  /// What went to the console as a warning or error, and uncaught exceptions.
  private(set) var complaints: [String] = []
  /// The addresses that were asked for.
  private(set) var requests: [String] = []
  /// Dialogs that a page opened.
  private(set) var dialogs: [String] = []

  private let folder: URL
  private let process = Process()
  private let toBrowser: Int32
  private let fromBrowser: Int32
  private var pending: [UInt8] = []
  private var events: [String: Int] = [:]
  private var session: String?
  private var commands = 0

  /// Starts a browser with one empty page of this size.
  init(width: Int = 1280, height: Int = 900, scale: Double = 1) throws {
    guard let path = Self.path else { throw Failure(description: "chromium is not installed") }
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "lull-browser-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let input = folder.appendingPathComponent("in").path
    let output = folder.appendingPathComponent("out").path
    guard mkfifo(input, 0o600) == 0, mkfifo(output, 0o600) == 0 else {
      throw Failure(description: "no pipe could be made")
    }
    // Opened for both directions a pipe does not wait for its other end.
    toBrowser = Glibc.open(input, O_RDWR | O_CLOEXEC)
    fromBrowser = Glibc.open(output, O_RDWR | O_CLOEXEC)
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = [
      "-c", "exec \"$0\" \"$@\" 3<'\(input)' 4>'\(output)'", path, "--headless",
      "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--no-first-run",
      "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update",
      "--hide-scrollbars", "--user-data-dir=\(folder.appendingPathComponent("profile").path)",
      "about:blank",
    ]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    let target = try send("Target.createTarget", ["url": "about:blank"])["targetId"]
    let attached = try send(
      "Target.attachToTarget", ["targetId": target ?? "", "flatten": true])
    session = attached["sessionId"] as? String
    for domain in ["Page", "Runtime", "Log", "Network"] { try send("\(domain).enable") }
    try resize(width: width, height: height, scale: scale)
  }

  deinit {
    _ = try? send("Browser.close", ofBrowser: true)
    let end = Date().addingTimeInterval(10)
    while process.isRunning && Date() < end { usleep(20_000) }
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
    close(toBrowser)
    close(fromBrowser)
    try? FileManager.default.removeItem(at: folder)
  }

  /// Gives the page another size.
  func resize(width: Int, height: Int, scale: Double = 1) throws {
    try send(
      "Emulation.setDeviceMetricsOverride",
      ["width": width, "height": height, "deviceScaleFactor": scale, "mobile": false])
  }

  /// Sets the theme that the system is said to have: light or dark.
  func setTheme(_ theme: String) throws {
    try send(
      "Emulation.setEmulatedMedia",
      ["features": [["name": "prefers-color-scheme", "value": theme]]])
  }

  /// Opens a file and waits until it is loaded and its script has run.
  func open(file: String) throws {
    let loads = events["Page.loadEventFired"] ?? 0
    let address = URL(fileURLWithPath: file).absoluteString
    let answer = try send("Page.navigate", ["url": address])
    if let error = answer["errorText"] { throw Failure(description: "\(address): \(error)") }
    while (events["Page.loadEventFired"] ?? 0) == loads { try readMessage(nil) }
  }

  /// Shows a page that is kept in a file of its own while the browser lives.
  func show(_ html: String) throws {
    let path = folder.appendingPathComponent("page-\(commands).html").path
    try html.write(toFile: path, atomically: true, encoding: .utf8)
    try open(file: path)
  }

  /// The value of an expression, or of the promise that it gives.
  func value(_ expression: String) throws -> Any {
    let answer = try send(
      "Runtime.evaluate",
      ["expression": expression, "returnByValue": true, "awaitPromise": true])
    if let problem = answer["exceptionDetails"] {
      throw Failure(description: "\(expression): \(problem)")
    }
    return (answer["result"] as? [String: Any])?["value"] ?? NSNull()
  }

  func text(_ expression: String) throws -> String { try value(expression) as? String ?? "" }

  func number(_ expression: String) throws -> Double {
    (try value(expression) as? NSNumber)?.doubleValue ?? .nan
  }

  /// Waits until an expression is true; pages draw in frames of their own.
  func waitUntil(_ expression: String) throws {
    let end = Date().addingTimeInterval(30)
    while Date() < end {
      if try value("Boolean(\(expression))") as? Bool == true { return }
      usleep(50_000)
    }
    throw Failure(description: "never true: \(expression)")
  }

  /// Sends a command and gives its result.
  @discardableResult
  func send(
    _ method: String, _ parameters: [String: Any] = [:], ofBrowser: Bool = false
  ) throws -> [String: Any] {
    commands += 1
    var message: [String: Any] = ["id": commands, "method": method, "params": parameters]
    if let session, !ofBrowser { message["sessionId"] = session }
    var bytes = Array(try JSONSerialization.data(withJSONObject: message))
    bytes.append(0)
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes { write(toBrowser, $0.baseAddress, $0.count) }
      guard count > 0 else { throw Failure(description: "the browser takes no commands") }
      sent += count
    }
    while true {
      if let answer = try readMessage(commands) { return answer }
    }
  }

  /// Reads one message; gives the result when it answers the command.
  @discardableResult
  private func readMessage(_ awaited: Int?) throws -> [String: Any]? {
    while true {
      if let end = pending.firstIndex(of: 0) {
        let data = Data(pending[..<end])
        pending.removeSubrange(...end)
        let object = try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
        guard let id = object["id"] as? Int else {
          note(object)
          return nil
        }
        guard id == awaited else { return nil }
        if let error = object["error"] { throw Failure(description: "\(error)") }
        return object["result"] as? [String: Any] ?? [:]
      }
      var poller = pollfd(fd: fromBrowser, events: Int16(POLLIN), revents: 0)
      guard poll(&poller, 1, 90_000) > 0 else {
        throw Failure(description: "the browser does not answer")
      }
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      let count = read(fromBrowser, &buffer, buffer.count)
      guard count > 0 else { throw Failure(description: "the browser is gone") }
      pending += buffer[..<count]
    }
  }

  private func note(_ event: [String: Any]) {
    let method = event["method"] as? String ?? ""
    let parameters = event["params"] as? [String: Any] ?? [:]
    events[method, default: 0] += 1
    switch method {
    case "Runtime.exceptionThrown": complaints.append("\(parameters)")
    case "Runtime.consoleAPICalled": complaints.append("\(parameters["args"] ?? "")")
    case "Log.entryAdded": complaints.append("\(parameters["entry"] ?? "")")
    case "Page.javascriptDialogOpening": dialogs.append("\(parameters["message"] ?? "")")
    case "Network.requestWillBeSent":
      let request = parameters["request"] as? [String: Any]
      requests.append(request?["url"] as? String ?? "")
    default: break
    }
  }
}

extension Browser {
  /// A key, with the DevTools name of its code.
  func press(_ key: String, shift: Bool = false) throws {
    let parameters: [String: Any] = ["key": key, "modifiers": shift ? 8 : 0]
    try send("Input.dispatchKeyEvent", parameters.merging(["type": "keyDown"]) { $1 })
    try send("Input.dispatchKeyEvent", parameters.merging(["type": "keyUp"]) { $1 })
  }

  /// A mouse event: mousePressed, mouseMoved, mouseReleased or mouseWheel; modifier 2 is Ctrl, 8 Shift.
  func mouse(
    _ type: String, x: Double, y: Double, deltaY: Double = 0, modifiers: Int = 0
  ) throws {
    var parameters: [String: Any] = ["type": type, "x": x, "y": y, "modifiers": modifiers]
    if type == "mouseWheel" {
      parameters["deltaX"] = 0
      parameters["deltaY"] = deltaY
    } else {
      parameters["button"] = "left"
      parameters["buttons"] = type == "mouseReleased" ? 0 : 1
      parameters["clickCount"] = 1
    }
    try send("Input.dispatchMouseEvent", parameters)
  }

  /// A picture of the page as it is seen.
  func picture(scale: Double = 1, width: Double, height: Double) throws -> Data {
    let clip: [String: Any] = ["x": 0, "y": 0, "width": width, "height": height, "scale": scale]
    let answer = try send("Page.captureScreenshot", ["format": "png", "clip": clip])
    return Data(base64Encoded: answer["data"] as? String ?? "") ?? Data()
  }
}
