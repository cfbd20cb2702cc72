// swift-tools-version: 6.2
import PackageDescription

/// A service that can be recorded on demand: from a shell beside it, or over a path that it serves.
let package = Package(
  name: "agent-user",
  dependencies: [
    .package(name: "lull", path: "../.."),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.0.0"),
  ],
  targets: [
    .executableTarget(
      name: "agent-user",
      dependencies: [
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "LullAgent", package: "lull"),
      ])
  ]
)
