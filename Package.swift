// swift-tools-version: 6.2
import PackageDescription

/// The house rules that the compiler enforces: imports with access levels, an import for every used module, explicit
/// existentials, and no warnings.
let houseRules: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioTLS = Target.Dependency.product(name: "NIOTLS", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let metricsTestKit = Target.Dependency.product(name: "MetricsTestKit", package: "swift-metrics")
let tracing = Target.Dependency.product(name: "Tracing", package: "swift-distributed-tracing")
let inMemoryTracing = Target.Dependency.product(name: "InMemoryTracing", package: "swift-distributed-tracing")
let x509 = Target.Dependency.product(name: "X509", package: "swift-certificates")
let asn1 = Target.Dependency.product(name: "SwiftASN1", package: "swift-asn1")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let collections = Target.Dependency.product(name: "DequeModule", package: "swift-collections")

let package = Package(
    name: "apus",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "Apus", targets: ["Apus"]),
        .library(name: "ApusDocuments", targets: ["ApusDocuments"]),
        .library(name: "ApusAFNetworking", targets: ["ApusAFNetworking"]),
        .library(name: "ApusAlamofire", targets: ["ApusAlamofire"]),
        .library(name: "ApusTesting", targets: ["ApusTesting"]),
        .library(name: "ApusResilience", targets: ["ApusResilience"]),
        .library(name: "ApusMetrics", targets: ["ApusMetrics"]),
        .library(name: "ApusTracing", targets: ["ApusTracing"]),
        .executable(name: "apus", targets: ["ApusCLI"]),
        .executable(name: "tour", targets: ["tour"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.0"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
    ],
    targets: [
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
        .target(name: "ApusPlatform", swiftSettings: houseRules),
        .target(name: "ApusJSON", swiftSettings: houseRules),
        .target(
            name: "ApusCore",
            dependencies: ["ApusJSON", "ApusPlatform", collections, crypto, httpTypes, logging, nioCore],
            swiftSettings: houseRules
        ),
        .target(
            name: "ApusCoding",
            dependencies: ["ApusCore", "CZlib", httpTypes],
            swiftSettings: houseRules
        ),
        .target(
            name: "ApusParameters",
            dependencies: ["ApusCore", "ApusJSON", httpTypes],
            swiftSettings: houseRules
        ),
        .target(
            name: "ApusDiagnostics",
            dependencies: ["ApusCore", "ApusJSON", "ApusPlatform", httpTypes, collections],
            swiftSettings: houseRules
        ),
        .target(
            name: "ApusCookies",
            dependencies: ["ApusCore", httpTypes],
            swiftSettings: houseRules
        ),
        .target(
            name: "ApusAuth",
            dependencies: ["ApusCore", httpTypes],
            swiftSettings: houseRules
        ),
        .target(
            name: "ApusTrust",
            dependencies: [
                "ApusCore", "ApusJSON", asn1, crypto, cryptoExtras, httpTypes, logging, x509,
            ],
            swiftSettings: houseRules
        ),
        .target(
            name: "ApusReachability",
            dependencies: ["ApusCore", "ApusPlatform"],
            swiftSettings: houseRules
        ),
        .target(
            name: "ApusTransfers",
            dependencies: ["ApusCore", "ApusPlatform", "ApusTrust", httpTypes],
            swiftSettings: houseRules
        ),
        .target(
            name: "ApusEngine",
            dependencies: [
                "ApusCore", "ApusPlatform", "ApusTrust", httpTypes, nioCore, nioPosix, nioTLS, nioSSL, collections,
            ],
            swiftSettings: houseRules
        ),
        .target(
            name: "Apus",
            dependencies: [
                "ApusAuth", "ApusCoding", "ApusCookies", "ApusCore", "ApusDiagnostics", "ApusEngine", "ApusJSON",
                "ApusParameters", "ApusReachability", "ApusTransfers", "ApusTrust", httpTypes, logging,
            ],
            swiftSettings: houseRules
        ),
        .target(
            name: "ApusDocuments",
            dependencies: ["ApusCore", "ApusJSON", httpTypes],
            swiftSettings: houseRules
        ),
        .target(
            name: "ApusResilience",
            dependencies: ["ApusCore", "ApusReachability", httpTypes, collections],
            swiftSettings: houseRules
        ),
        .target(
            name: "ApusMetrics",
            dependencies: ["ApusCore", httpTypes, metrics],
            swiftSettings: houseRules
        ),
        .target(
            name: "ApusTracing",
            dependencies: ["ApusCore", httpTypes, tracing],
            swiftSettings: houseRules
        ),
        .target(
            name: "ApusAFNetworking",
            dependencies: ["Apus", "ApusCore", "ApusDocuments", "ApusReachability", httpTypes],
            swiftSettings: houseRules
        ),
        .target(
            name: "ApusAlamofire",
            dependencies: ["Apus", "ApusCore", httpTypes],
            swiftSettings: houseRules
        ),
        .target(
            name: "ApusTesting",
            dependencies: ["Apus", "ApusCore"],
            swiftSettings: houseRules
        ),
        .target(
            name: "ApusTestServer",
            dependencies: ["ApusCore", "ApusJSON", "ApusPlatform", "CZlib", nioCore, nioPosix, nioSSL],
            swiftSettings: houseRules
        ),
        .target(
            name: "ApusCommand",
            dependencies: ["Apus", "ApusDocuments", "ApusPlatform", httpTypes],
            swiftSettings: houseRules
        ),
        .executableTarget(name: "ApusCLI", dependencies: ["ApusCommand"], swiftSettings: houseRules),
        .executableTarget(
            name: "tour",
            dependencies: ["Apus", "ApusDocuments", "ApusResilience", "ApusTestServer", "ApusTesting"],
            swiftSettings: houseRules
        ),
        // All test targets are linked into one bundle, so this target affects all of them.
        .target(name: "TestWidth", path: "Tests/TestWidth"),
        // The program that TransferQueueRandomKillTests starts and kills.
        .executableTarget(
            name: "QueueProcess",
            dependencies: ["Apus", "ApusPlatform"],
            path: "Tests/QueueProcess",
            swiftSettings: houseRules
        ),
        // Helpers that several test targets share.
        .target(
            name: "ApusTestSupport",
            dependencies: ["Apus", "ApusCore", "ApusPlatform", "ApusReachability", "ApusTesting", httpTypes],
            path: "Tests/ApusTestSupport",
            swiftSettings: houseRules
        ),
        .testTarget(
            name: "ApusCoreTests",
            dependencies: [
                "Apus", "ApusCore", "ApusJSON", "ApusTestServer", "ApusTestSupport", "ApusTesting", "TestWidth",
                collections, httpTypes, logging,
            ],
            swiftSettings: houseRules
        ),
        .testTarget(
            name: "ApusDiagnosticsTests",
            dependencies: [
                "Apus", "ApusCore", "ApusDiagnostics", "ApusJSON", "ApusTestSupport", "ApusTesting", httpTypes,
            ],
            swiftSettings: houseRules
        ),
        .testTarget(
            name: "ApusJSONTests",
            dependencies: ["Apus", "ApusJSON", "ApusTestServer", "ApusTestSupport", httpTypes],
            swiftSettings: houseRules
        ),
        .testTarget(
            name: "ApusCodingTests",
            dependencies: ["ApusCoding", "ApusCore", "ApusTestSupport", "CZlib", httpTypes],
            swiftSettings: houseRules
        ),
        .testTarget(
            name: "ApusParametersTests",
            dependencies: ["Apus", "ApusCore", "ApusParameters", "ApusTestServer", "ApusTestSupport", "ApusTesting"],
            swiftSettings: houseRules
        ),
        .testTarget(
            name: "ApusDocumentsTests",
            dependencies: ["Apus", "ApusCore", "ApusDocuments", "ApusTestServer", "ApusTestSupport", "ApusTesting"],
            swiftSettings: houseRules
        ),
        .testTarget(
            name: "ApusCookiesTests",
            dependencies: [
                "Apus", "ApusCookies", "ApusCore", "ApusPlatform", "ApusTestServer", "ApusTesting", httpTypes,
            ],
            swiftSettings: houseRules
        ),
        .testTarget(
            name: "ApusAuthTests",
            dependencies: ["Apus", "ApusAuth", "ApusCore", "ApusTestSupport", "ApusTesting", httpTypes],
            swiftSettings: houseRules
        ),
        .testTarget(
            name: "ApusTrustTests",
            dependencies: [
                "Apus", "ApusCore", "ApusTestServer", "ApusTestSupport", "ApusTesting", "ApusTrust", asn1, crypto,
                httpTypes, logging, x509,
            ],
            swiftSettings: houseRules
        ),
        .testTarget(
            name: "ApusReachabilityTests",
            dependencies: ["ApusCore", "ApusReachability", "ApusTestServer", "ApusTestSupport"],
            swiftSettings: houseRules
        ),
        .testTarget(
            name: "ApusResilienceTests",
            dependencies: ["Apus", "ApusCore", "ApusReachability", "ApusResilience", "ApusTestSupport", "ApusTesting"],
            swiftSettings: houseRules
        ),
        .testTarget(
            name: "ApusTransfersTests",
            dependencies: [
                "Apus", "ApusCore", "ApusPlatform", "ApusTestServer", "ApusTestSupport", "ApusTesting",
                "ApusTransfers", httpTypes,
            ],
            swiftSettings: houseRules
        ),
        .testTarget(
            name: "ApusMetricsTests",
            dependencies: ["Apus", "ApusMetrics", "ApusTesting", httpTypes, metrics, metricsTestKit],
            swiftSettings: houseRules
        ),
        .testTarget(
            name: "ApusTracingTests",
            dependencies: ["Apus", "ApusCore", "ApusTesting", "ApusTracing", httpTypes, tracing, inMemoryTracing],
            swiftSettings: houseRules
        ),
        .testTarget(
            name: "ApusEngineTests",
            dependencies: [
                "ApusCore", "ApusEngine", "ApusPlatform", "ApusTestServer", nioCore, nioPosix, nioEmbedded, nioHTTP1,
                httpTypes,
            ],
            swiftSettings: houseRules
        ),
        .testTarget(
            name: "ApusTestServerTests",
            dependencies: ["ApusTestServer", nioCore, nioPosix],
            swiftSettings: houseRules
        ),
        .testTarget(
            name: "ApusTestingTests",
            dependencies: ["Apus", "ApusCore", "ApusTestSupport", "ApusTesting", "TestWidth", httpTypes],
            swiftSettings: houseRules
        ),
        .testTarget(
            name: "ApusTests",
            dependencies: [
                "Apus", "ApusCore", "ApusEngine", "ApusPlatform", "ApusTestServer", "ApusTestSupport", "ApusTesting",
                httpTypes, nioCore, nioPosix, nioSSL,
            ],
            swiftSettings: houseRules
        ),
        .testTarget(
            name: "ApusAFNetworkingTests",
            dependencies: [
                "Apus", "ApusAFNetworking", "ApusCore", "ApusDocuments", "ApusReachability", "ApusTestServer",
                "ApusTestSupport", "ApusTesting", httpTypes,
            ],
            swiftSettings: houseRules
        ),
        .testTarget(
            name: "ApusAlamofireTests",
            dependencies: [
                "ApusAlamofire", "ApusCore", "ApusTestServer", "ApusTestSupport", "ApusTesting", httpTypes,
            ],
            swiftSettings: houseRules
        ),
        .testTarget(
            name: "ApusCommandTests",
            dependencies: ["Apus", "ApusCommand", "ApusPlatform", "ApusTestServer", "ApusTesting"],
            exclude: ["Arguments/Fixtures"],
            swiftSettings: houseRules
        ),
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "Apus", "ApusAFNetworking", "ApusAlamofire", "ApusDocuments", "ApusMetrics", "ApusResilience",
                "ApusTesting", "ApusTracing", httpTypes, logging,
            ],
            swiftSettings: houseRules
        ),
        .testTarget(
            name: "InteropTests",
            dependencies: ["Apus", "ApusTestServer", "ApusTesting"],
            swiftSettings: houseRules
        ),
    ],
    swiftLanguageModes: [.v6]
)

// APUS_TEST_TARGETS="ApusCoreTests ApusEngineTests" removes all other test targets, so that they are not built.
if let chosen = Context.environment["APUS_TEST_TARGETS"]?.split(separator: " ").map(String.init) {
    package.targets.removeAll { $0.type == .test && !chosen.contains($0.name) }
}
