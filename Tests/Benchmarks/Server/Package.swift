// swift-tools-version: 6.2
import PackageDescription

/// The server that `Tests/Benchmarks/overhead` loads; apart, so that Lull itself does not depend on Hummingbird.
let package = Package(
  name: "benchmark-server",
  platforms: [.macOS(.v14)],
  dependencies: [
    .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1")
  ],
  targets: [
    .executableTarget(
      name: "BenchmarkServer",
      dependencies: [.product(name: "Hummingbird", package: "hummingbird")])
  ]
)
