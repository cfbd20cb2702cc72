// swift-tools-version: 6.2
import PackageDescription

/// An HTTP server on Hummingbird whose handlers wait; built by the end-to-end tests alone.
let package = Package(
  name: "request-server",
  platforms: [.macOS(.v14)],
  dependencies: [
    .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1")
  ],
  targets: [
    .executableTarget(
      name: "request-server",
      dependencies: [.product(name: "Hummingbird", package: "hummingbird")])
  ])
