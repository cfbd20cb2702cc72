// swift-tools-version: 6.0
import PackageDescription

let package = Package(
  name: "journal",
  targets: [.executableTarget(name: "journal", path: "Sources/journal")])
