// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that the library has no unsafe flag and no target that links a fuzzer. It compiles what is
// fuzzed from the library's own files, as modules of the same names: of the engine the codec alone.

let instrumented: [SwiftSetting] = [
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .unsafeFlags(["-sanitize=fuzzer", "-parse-as-library"]),
]
let withDriver: [LinkerSetting] = [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])]
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")

let package = Package(
    name: "fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    ],
    targets: [
        .target(name: "FuzzDriver"),
        .target(
            name: "ApusCore",
            dependencies: [
                httpTypes, nioCore,
                .product(name: "Logging", package: "swift-log"),
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            swiftSettings: instrumented
        ),
        .target(name: "ApusEngine", dependencies: [httpTypes, nioCore], swiftSettings: instrumented),
        .executableTarget(
            name: "HTTP1Fuzz",
            dependencies: [
                "FuzzDriver", "ApusEngine", httpTypes, nioCore,
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            swiftSettings: instrumented,
            linkerSettings: withDriver
        ),
        .executableTarget(
            name: "JSONFuzz",
            dependencies: ["FuzzDriver", "ApusCore"],
            swiftSettings: instrumented,
            linkerSettings: withDriver
        ),
    ],
    swiftLanguageModes: [.v6]
)
