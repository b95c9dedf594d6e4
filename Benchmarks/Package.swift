// swift-tools-version: 6.2
import PackageDescription

/// The same settings as for the targets of the library.
let houseRules: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

// One executable per client, so that no client is slowed down by the libraries of another.
let package = Package(
    name: "apus-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "apus", path: ".."),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
    ],
    targets: [
        .target(name: "BenchSupport", swiftSettings: houseRules),
        .executableTarget(
            name: "bench-apus",
            dependencies: ["BenchSupport", .product(name: "Apus", package: "apus")],
            swiftSettings: houseRules
        ),
        .executableTarget(
            name: "bench-ahc",
            dependencies: [
                "BenchSupport",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOFoundationCompat", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: houseRules
        ),
        .executableTarget(name: "bench-urlsession", dependencies: ["BenchSupport"], swiftSettings: houseRules),
    ],
    swiftLanguageModes: [.v6]
)
