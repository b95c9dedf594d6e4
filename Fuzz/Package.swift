// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that the library has no unsafe flags and no target that links a fuzzer. It compiles the fuzzed
// code from the library's files, as modules with the same names. Of the engine, it compiles only the codecs.

let instrumented: [SwiftSetting] = [
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .unsafeFlags(["-sanitize=fuzzer", "-parse-as-library"]),
]
/// Also in a release build, since the HTTP/2 fuzzer checks internal accounts.
let testable: [SwiftSetting] = instrumented + [.unsafeFlags(["-enable-testing"])]
let withDriver: [LinkerSetting] = [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])]
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let collections = Target.Dependency.product(name: "DequeModule", package: "swift-collections")

let package = Package(
    name: "fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    ],
    targets: [
        .target(name: "FuzzDriver"),
        .target(name: "ApusPlatform", swiftSettings: instrumented),
        .target(name: "ApusJSON", swiftSettings: instrumented),
        .target(
            name: "ApusCore",
            dependencies: [
                "ApusJSON", "ApusPlatform", collections, httpTypes, nioCore,
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: instrumented
        ),
        .target(name: "ApusEngine", dependencies: [collections, httpTypes, nioCore], swiftSettings: testable),
        .executableTarget(
            name: "HTTP1Fuzz",
            dependencies: [
                "FuzzDriver", "ApusEngine", httpTypes, nioCore, nioEmbedded,
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            swiftSettings: instrumented,
            linkerSettings: withDriver
        ),
        .executableTarget(
            name: "HTTP2Fuzz",
            dependencies: [
                "FuzzDriver", "ApusEngine", httpTypes, nioCore, nioEmbedded,
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
            ],
            swiftSettings: instrumented,
            linkerSettings: withDriver
        ),
        .executableTarget(
            name: "JSONFuzz",
            dependencies: ["FuzzDriver", "ApusCore", "ApusJSON"],
            swiftSettings: instrumented,
            linkerSettings: withDriver
        ),
    ],
    swiftLanguageModes: [.v6]
)
