#if canImport(Darwin)
    internal import Foundation
#else
    internal import ApusPlatform
#endif

#if canImport(Darwin)
    extension UserAgent {
        /// The current program, read once: the name and version of the bundle, and the system's.
        public static let current = UserAgent(
            executable: name("CFBundleExecutable") ?? ProcessInfo.processInfo.processName,
            version: name("CFBundleShortVersionString"),
            platform: system
        )

        /// The bundle, and the system with its version.
        static let system = [name("CFBundleIdentifier") ?? "", "\(systemName) \(systemVersion)"]

        private static func name(_ key: String) -> String? {
            Bundle.main.object(forInfoDictionaryKey: key) as? String
        }

        private static var systemVersion: String {
            let version = ProcessInfo.processInfo.operatingSystemVersion
            return "\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"
        }
    }
#else
    extension UserAgent {
        /// The current program, read once: the name that it was started with, and the distribution. It has no
        /// version, since an executable of Linux names none. `init(product:version:)` sets one.
        public static let current = UserAgent(
            executable: fileName(CommandLine.arguments.first ?? ""),
            version: nil,
            platform: system
        )

        /// The system, and the distribution.
        ///
        /// Foundation provides it and the name of the program, but takes ten times as long, which a command would pay
        /// at each start.
        static let system = ["Linux", distribution(beginning(of: "/etc/os-release"))]

        private static func fileName(_ path: String) -> String {
            String(path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[path.utf8.index(after: $0)...] } ?? path[...])
        }

        /// Returns the name in the text of `os-release`, without its quotation marks, or an empty string.
        static func distribution(_ release: String) -> String {
            var rest = release.utf8[...]
            while !rest.isEmpty {
                let line = rest.prefix { $0 != 0x0A }
                rest = rest[line.endIndex...].dropFirst()
                let name = line.drop { $0 != UInt8(ascii: "=") }
                guard line[..<name.startIndex].elementsEqual("PRETTY_NAME".utf8) else { continue }
                let isQuoted = name.count > 2 && name.last.map("\"'".utf8.contains) ?? false
                return String(isQuoted ? name.dropFirst(2).dropLast() : name.dropFirst()) ?? ""
            }
            return ""
        }

        /// Returns the first 4 KiB of a file, or an empty string if it can't be read.
        private static func beginning(of path: String) -> String {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return "" }
            defer { close(descriptor) }
            let bytes = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
                count = max(read(descriptor, buffer.baseAddress, buffer.count), 0)
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }
#endif

#if os(macOS)
    private let systemName = "macOS"
#elseif os(tvOS)
    private let systemName = "tvOS"
#elseif os(watchOS)
    private let systemName = "watchOS"
#elseif os(visionOS)
    private let systemName = "visionOS"
#elseif os(iOS)
    private let systemName = "iOS"
#endif
