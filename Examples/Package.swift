// swift-tools-version: 6.2
import PackageDescription

// Example programs, in a separate package that depends on the library. All programs share one package, so that the
// dependencies are built only once.
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
