// swift-tools-version: 6.2
import PackageDescription

/// Servers that the end-to-end tests record, in one package, so that what they stand on is built once: one whose
/// handler reads a file on its event loop, one whose handlers wait, and one that is recorded on demand, from a shell
/// beside it or over a path that it serves.
let package = Package(
  name: "servers",
  platforms: [.macOS(.v14)],
  dependencies: [
    .package(name: "lull", path: "../.."),
    .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
    .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
  ],
  targets: [
    .executableTarget(
      name: "agent-user",
      dependencies: [
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "LullAgent", package: "lull"),
      ]),
    .executableTarget(
      name: "nio-server",
      dependencies: [
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ]),
    .executableTarget(
      name: "request-server",
      dependencies: [.product(name: "Hummingbird", package: "hummingbird")]),
  ])
