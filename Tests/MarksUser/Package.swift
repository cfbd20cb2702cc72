// swift-tools-version: 6.2
import PackageDescription

/// A package that marks its phases and intervals, as one of a user's would: in Swift and in C.
let package = Package(
  name: "marks-user",
  dependencies: [.package(name: "lull", path: "../..")],
  targets: [
    .target(name: "CPlain"),
    .executableTarget(
      name: "marks-user",
      dependencies: ["CPlain", .product(name: "LullMarks", package: "lull")],
      path: "Sources/MarksUser"),
    .executableTarget(
      name: "marks-user-c", dependencies: [.product(name: "LullMarks", package: "lull")],
      path: "Sources/MarksUserC"),
  ]
)
