// swift-tools-version: 6.0
import PackageDescription

/// A server with a database, an HTTP client and timers; built by the end-to-end tests alone.
let package = Package(
  name: "database-server",
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    .package(url: "https://github.com/swhitty/FlyingFox", exact: "0.27.1"),
  ],
  targets: [
    .executableTarget(
      name: "database-server",
      dependencies: [
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "FlyingFox", package: "FlyingFox"),
      ])
  ])
