// swift-tools-version: 6.0
import PackageDescription

/// A server whose handler reads a file on its event loop; built by the end-to-end tests alone.
let package = Package(
  name: "nio-server",
  dependencies: [.package(url: "https://github.com/apple/swift-nio", exact: "2.101.2")],
  targets: [
    .executableTarget(
      name: "nio-server",
      dependencies: [
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ])
  ])
