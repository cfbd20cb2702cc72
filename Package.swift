// swift-tools-version: 6.2
import Glibc
import PackageDescription

/// Sources are compiled with warnings as errors.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"),
  .treatAllWarnings(as: .error),
]

/// For modules without pointers: what could touch memory that is not its own does not compile.
let safe: [SwiftSetting] = [.strictMemorySafety()]

/// Of all that a report runs through: types are made by functions, not by their names, for each of which the runtime
/// searches all conformances that the program has. A small report takes a third less time by it.
let quickToStart: [SwiftSetting] = [
  .unsafeFlags(
    ["-Xfrontend", "-disable-concrete-type-metadata-mangled-name-accessors"],
    .when(configuration: .release))
]

/// Where millions of records pass. That nothing is read while it is written is checked by the compiler, and where it
/// cannot know by debug builds, whose tests run all of it; a release build that asks at each access takes a twentieth
/// longer to read calls.
let perRecord: [SwiftSetting] = [
  .unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release))
]

/// Where traces and binaries are read and programs recorded: without optimisation the tests would wait minutes for
/// names of functions, and a recorder would not keep up with what they have it record.
let optimisedForTests: [SwiftSetting] = [.unsafeFlags(["-O"], .when(configuration: .debug))]

/// Loading shared libraries of Swift and C++ takes longer than a report on a small trace, so the released `lull` holds
/// what it uses of them. It is no library itself: with the names of all its functions to look through, loading the
/// others takes longer too.
let whole: [LinkerSetting] = [
  .unsafeFlags(
    [
      "-static-stdlib", "-lCoreFoundation", "-l_FoundationICU", "-l_FoundationCShims",
      "-l_FoundationCollections", "-Xlinker", "--no-export-dynamic",
    ], .when(configuration: .release)),
  .unsafeFlags(cxx, .when(configuration: .release)),
]

/// Links libstdc++ and the compiler's own library from their archives, where these are installed.
///
/// Both Swift's driver and the build ask for libstdc++ by `-l`, and `Sources/Linking` is searched first.
var cxx: [String] {
  var found = glob_t()
  defer { globfree(&found) }
  guard glob("/usr/lib*/gcc/*/*/libstdc++.a", 0, nil, &found) == 0 else { return [] }
  return [
    "-L\(Context.packageDirectory)/Sources/Linking", "-l:libstdc++.a",
    "-Xclang-linker", "-static-libgcc",
  ]
}

/// The commit that is built, for `lull --version`; the manifest's own look at git is kept from one build to the next.
let commit = Context.environment["LULL_COMMIT"] ?? ""

let package = Package(
  name: "lull",
  products: [
    .executable(name: "lull", targets: ["lull"]),
    .library(name: "LullMarks", targets: ["LullMarks"]),
    .library(name: "LullAgent", targets: ["LullAgent"]),
    .library(name: "LullPreload", type: .dynamic, targets: ["LullPreload"]),
    .plugin(name: "LullPlugin", targets: ["LullPlugin"]),
  ],
  traits: [
    .trait(
      name: "EmptyAgent",
      description: "LullAgent does nothing: for programs that are linked statically with glibc.")
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/LebJe/TOMLKit", from: "0.6.0"),
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
    .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
    .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
  ],
  targets: [
    .target(name: "CPerfEvent"),
    .target(
      name: "CLullMarks", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
    .target(name: "LullMarks", dependencies: ["CLullMarks"], swiftSettings: strict),
    .target(name: "CPreloadRing"),
    // Loaded into programs that are recorded without the kernel's events; what costs there is paid at each call.
    .target(
      name: "LullPreload", dependencies: ["CPreloadRing"],
      cSettings: [
        .unsafeFlags(["-O2", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror"])
      ],
      // Without the Swift runtime, which programs without Swift would have to load: it is asked for in any case, and
      // what is found is an empty one.
      linkerSettings: [
        .unsafeFlags([
          "-nostartfiles", "-resource-dir", "\(Context.packageDirectory)/Sources/Linking/Bare",
        ])
      ]),
    // The same functions in the program itself, which it exports as its own. Without flags, which no package may have
    // that others depend on.
    .target(
      name: "CLullAgent", dependencies: ["CPreloadRing"],
      cSettings: [.define("LULL_EMPTY_AGENT", .when(traits: ["EmptyAgent"]))],
      linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
    .target(name: "LullAgent", dependencies: ["CLullAgent"], swiftSettings: strict),
    .target(name: "CPFM"),
    // Loaded where they are wanted: most traces need neither, and loading them takes longer than to read a small one.
    .target(name: "CElf"),
    .target(name: "CZstd"),
    .target(name: "CCurl"),
    .target(name: "CBPF"),
    .target(name: "CProcessor"),
    .target(
      name: "CVersion",
      cSettings: commit.isEmpty ? [] : [.define("LULL_COMMIT", to: "\"\(commit)\"")]),
    .target(
      name: "Processors", dependencies: ["CProcessor"],
      swiftSettings: strict + quickToStart + optimisedForTests),
    .systemLibrary(name: "CDemangling"),
    // Loaded where a capture is read: it brings six libraries of its own with it.
    .systemLibrary(name: "CPcap", providers: [.apt(["libpcap-dev"])]),
    .target(
      name: "Packets", dependencies: ["CPcap", "Files"],
      swiftSettings: strict + quickToStart + optimisedForTests),
    .target(name: "Quantities", swiftSettings: strict + safe + quickToStart + optimisedForTests),
    .target(name: "CResources"),
    .target(
      name: "Resources", dependencies: ["CResources"], swiftSettings: strict + quickToStart),
    .target(name: "CFileUser"),
    .target(name: "Files", dependencies: ["CFileUser"], swiftSettings: strict),
    .target(
      name: "PerfData", dependencies: ["CProcessor", "CZstd", "Files", "Processors", "Quantities"],
      exclude: ["FastPath/README.md"],
      swiftSettings: strict + quickToStart + perRecord + optimisedForTests),
    .target(
      name: "Recording",
      dependencies: [
        "CBPF", "CPerfEvent", "CPFM", "CPreloadRing", "Files", "PerfData", "Quantities",
        "Resources",
      ],
      // Made of Sources/KernelPrograms by the script there.
      exclude: ["Kernel/recorder.bpf.o", "Kernel/sockets.bpf.o", "Transfers/transfers.bpf.o"],
      swiftSettings: strict + optimisedForTests),
    .target(
      name: "Symbols",
      dependencies: ["CDemangling", "CElf", "CZstd", "Files", "Quantities"],
      swiftSettings: strict + quickToStart + optimisedForTests),
    .target(
      name: "TraceModel", dependencies: ["Files", "Packets", "PerfData", "Quantities", "Symbols"],
      swiftSettings: strict + quickToStart + perRecord + optimisedForTests),
    .target(
      name: "Signals",
      dependencies: [
        "PerfData", "Processors", "Quantities", "Resources", "TraceModel",
        .product(name: "TOMLKit", package: "TOMLKit"),
      ],
      exclude: ["Radio/profiles.toml", "Energy/energy.toml"],
      swiftSettings: strict + safe + quickToStart),
    .target(
      name: "Rules",
      dependencies: [
        "Quantities", "Resources", "Signals", "TraceModel",
        .product(name: "TOMLKit", package: "TOMLKit"),
      ],
      exclude: ["Scoring/scoring.toml"], swiftSettings: strict + safe + quickToStart),
    .target(
      name: "ExportFormats",
      dependencies: [.product(name: "SwiftProtobuf", package: "swift-protobuf")],
      exclude: ["generate", "otlp.proto", "perfetto.proto", "pprof.proto"]),
    .target(
      name: "Reporting",
      dependencies: [
        "ExportFormats", "PerfData", "Quantities", "Resources", "Rules", "Signals", "TraceModel",
        .product(name: "Mustache", package: "swift-mustache"),
        .product(name: "SwiftProtobuf", package: "swift-protobuf"),
      ],
      exclude: ["HTML/Script", "HTML/Style", "HTML/Templates"],
      swiftSettings: strict + safe + quickToStart),
    .target(
      name: "Budgets",
      dependencies: [
        "Quantities", "Reporting", "Rules", "Signals",
        .product(name: "TOMLKit", package: "TOMLKit"),
        .product(name: "Histogram", package: "hdrhistogram-swift"),
      ],
      swiftSettings: strict + safe + quickToStart),
    .executableTarget(
      name: "lull",
      dependencies: [
        "Budgets", "CCurl", "CPerfEvent", "CVersion", "Files", "PerfData", "Processors",
        "Quantities",
        "Recording",
        "Reporting",
        "Rules", "Signals", "Symbols", "TraceModel",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict + quickToStart, linkerSettings: whole),
    .plugin(
      name: "LullPlugin",
      capability: .command(
        intent: .custom(
          verb: "lull",
          description: "Build in release, record the scenarios of lull.toml and check them.")),
      path: "Sources/LullPlugin"),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .target(name: "CWorkloads", path: "Sources/Workloads/C"),
    .executableTarget(
      name: "lull-workload", dependencies: ["CSQLite", "CWorkloads", "LullMarks"],
      path: "Sources/Workloads/RunLoop",
      swiftSettings: strict),
    .executableTarget(
      name: "lull-workload-agent",
      dependencies: ["CSQLite", "CWorkloads", "LullAgent", "LullMarks"],
      path: "Sources/Workloads/Agent", swiftSettings: strict),
    .executableTarget(
      name: "lull-workload-async", path: "Sources/Workloads/AsyncMain", swiftSettings: strict),
    .executableTarget(
      name: "lull-workload-blocking", path: "Sources/Workloads/Blocking", swiftSettings: strict),
    .executableTarget(
      name: "lull-bench", dependencies: ["PerfData"], path: "Sources/Benchmark",
      swiftSettings: strict),
    .target(
      name: "TestSupport", dependencies: ["Files", "PerfData", "Quantities"],
      swiftSettings: strict + optimisedForTests),
    .testTarget(name: "PackageTests"),
    .testTarget(name: "FilesTests", dependencies: ["Files", "TestSupport"]),
    .testTarget(name: "ProcessorsTests", dependencies: ["CProcessor", "Processors"]),
    .testTarget(name: "PerfDataTests", dependencies: ["PerfData", "Quantities", "TestSupport"]),
    .testTarget(name: "PacketsTests", dependencies: ["Packets", "Quantities", "TestSupport"]),
    .testTarget(name: "QuantitiesTests", dependencies: ["Quantities"]),
    .testTarget(
      name: "RecordingTests",
      dependencies: [
        "CBPF", "CPerfEvent", "CPreloadRing", "Files", "PerfData", "Quantities", "Recording",
        "TestSupport", "TraceModel",
      ]),
    .testTarget(
      name: "SymbolsTests",
      dependencies: ["Files", "PerfData", "Quantities", "Symbols", "lull"]),
    .testTarget(
      name: "TraceModelTests",
      dependencies: ["PerfData", "Quantities", "TestSupport", "TraceModel"]),
    .testTarget(
      name: "SignalsTests",
      dependencies: ["PerfData", "Quantities", "Signals", "TestSupport", "TraceModel"]),
    .testTarget(name: "RulesTests", dependencies: ["Rules", "Signals", "TraceModel"]),
    .testTarget(
      name: "ReportingTests",
      dependencies: [
        "PerfData", "Quantities", "Reporting", "Rules", "Signals", "TestSupport", "TraceModel",
      ]),
    .testTarget(
      name: "BudgetsTests",
      dependencies: [
        "Budgets", "Quantities", "Reporting", "Rules", "Signals", "TestSupport", "TraceModel",
      ]),
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "PerfData", "Quantities", "TestSupport", "TraceModel", "lull", "lull-workload",
        "lull-workload-async",
      ]),
  ]
)
