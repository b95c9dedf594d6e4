// swift-tools-version: 6.2
import PackageDescription

// Programs as their users would write them: a package of its own that depends on the library. One package for all, so
// that the dependencies are built once.
let package = Package(
    name: "apus-examples",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "apus", path: "..")],
    targets: [
        .executableTarget(name: "api-client", dependencies: [.product(name: "Apus", package: "apus")]),
        .executableTarget(name: "link-check", dependencies: [.product(name: "Apus", package: "apus")]),
        .executableTarget(
            name: "recipes",
            dependencies: [.product(name: "Apus", package: "apus"), .product(name: "ApusTesting", package: "apus")]
        ),
    ],
    swiftLanguageModes: [.v6]
)
