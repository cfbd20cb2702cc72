// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "tested",
  targets: [
    .target(name: "Work"), .testTarget(name: "WorkTests", dependencies: ["Work"]),
  ])
