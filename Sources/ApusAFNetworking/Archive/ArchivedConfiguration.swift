internal import Apus
internal import ApusCore
internal import Foundation
internal import HTTPTypes

/// A session's configuration in an archive, without its code such as closures and middleware.
struct ArchivedConfiguration: Codable, Hashable {
    private let counts: [String: Int]
    private let times: [String: Duration]
    /// The optional times that have a value.
    private let bounds: [String: Duration]
    private let switches: [String: Bool]
    private let fields: [[String]]
    private let roots: Roots
    private let verification: Verification
    private let minimumTLSVersion: MinimumTLSVersion
    /// `nil` in an archive from before it had them. The settings of the base remain then.
    private let connections: Connections?

    private struct Connections: Codable, Hashable {
        var usesPerConnection: Int?
        var keepAlive: KeepAlive?
    }

    private struct KeepAlive: Codable, Hashable {
        var idle: Duration
        var interval: Duration
        var probes: Int
    }

    private enum Roots: Codable, Hashable {
        case system
        case file(String)
        case folder(String)
        case pem(String)
        case all([Roots])

        init(_ roots: ServerTrust.Roots) {
            switch roots {
            case .system: self = .system
            case .file(let path): self = .file(path)
            case .folder(let path): self = .folder(path)
            case .pem(let text): self = .pem(text)
            case .all(let members): self = .all(members.map { Roots($0) })
            }
        }

        var value: ServerTrust.Roots {
            switch self {
            case .system: .system
            case .file(let path): .file(path)
            case .folder(let path): .folder(path)
            case .pem(let text): .pem(text)
            case .all(let members): .all(members.map(\.value))
            }
        }
    }

    private enum Verification: String, Codable, CaseIterable {
        case full
        case chainOnly
        case none

        var value: ServerTrust.Verification {
            switch self {
            case .full: .full
            case .chainOnly: .chainOnly
            case .none: .none
            }
        }
    }

    private enum MinimumTLSVersion: String, Codable {
        case v12 = "1.2"
        case v13 = "1.3"
    }

    init(_ configuration: SessionConfiguration) {
        self.counts = Self.counts.mapValues { configuration[keyPath: $0.path] }
        self.times = Self.times.mapValues { configuration[keyPath: $0] }
        self.bounds = Self.bounds.compactMapValues { configuration[keyPath: $0] }
        self.switches = Self.switches.mapValues { configuration[keyPath: $0] }
        self.fields = configuration.fields.map { [$0.name.rawName, $0.value] }
        self.roots = Roots(configuration.trust.roots)
        self.verification =
            switch configuration.trust.verification {
            case .full: .full
            case .chainOnly: .chainOnly
            case .none: .none
            }
        self.minimumTLSVersion =
            switch configuration.tls.minimumVersion {
            case .v12: .v12
            case .v13: .v13
            }
        self.connections = Connections(
            usesPerConnection: configuration.pool.usesPerConnection,
            keepAlive: configuration.tcpKeepAlive.map {
                KeepAlive(idle: $0.idle, interval: $0.interval, probes: $0.probes)
            }
        )
    }

    /// Returns `base` with all settings of the archive.
    func applied(to base: SessionConfiguration) throws(ApusError) -> SessionConfiguration {
        var configuration = base
        try Self.demand(counts.keys, Self.counts.keys)
        try Self.demand(times.keys, Self.times.keys)
        try Self.demand(switches.keys, Self.switches.keys)
        guard Set(bounds.keys).isSubset(of: Self.bounds.keys) else { throw .archived("unknown settings") }
        for (name, row) in Self.counts {
            guard let count = counts[name], count >= row.least else { throw .archived("a '\(name)' that is too small") }
            configuration[keyPath: row.path] = count
        }
        for (name, path) in Self.times {
            guard let time = times[name], time >= .zero else { throw .archived("a negative '\(name)'") }
            configuration[keyPath: path] = time
        }
        for (name, path) in Self.bounds {
            if let time = bounds[name], time < .zero { throw .archived("a negative '\(name)'") }
            configuration[keyPath: path] = bounds[name]
        }
        for (name, path) in Self.switches { configuration[keyPath: path] = switches[name] ?? false }
        configuration.fields = try HTTPFields(archived: fields)
        configuration.trust.roots = roots.value
        configuration.trust.verification = verification.value
        configuration.tls.minimumVersion =
            switch minimumTLSVersion {
            case .v12: .v12
            case .v13: .v13
            }
        guard let connections else { return configuration }
        configuration.pool.usesPerConnection = connections.usesPerConnection
        configuration.tcpKeepAlive = connections.keepAlive.map {
            TCPKeepAlive(idle: $0.idle, interval: $0.interval, probes: $0.probes)
        }
        return configuration
    }

    private static func demand(_ found: some Sequence<String>, _ known: some Sequence<String>) throws(ApusError) {
        guard Set(found) == Set(known) else { throw .archived("missing or unknown settings") }
    }
}

extension ArchivedConfiguration {
    private typealias Path<Value> = any WritableKeyPath<SessionConfiguration, Value> & Sendable

    private static let counts: [String: (path: Path<Int>, least: Int)] = [
        "pool.connectionsPerOrigin": (\.pool.connectionsPerOrigin, 1),
        "pool.connectionsTotal": (\.pool.connectionsTotal, 1),
        "limits.responseHeadBytes": (\.limits.responseHeadBytes, 0),
        "limits.fieldBytes": (\.limits.fieldBytes, 0),
        "limits.fieldCount": (\.limits.fieldCount, 0),
        "limits.informationalResponses": (\.limits.informationalResponses, 0),
        "limits.chunkSizeLineBytes": (\.limits.chunkSizeLineBytes, 0),
        "limits.trailerBytes": (\.limits.trailerBytes, 0),
        "limits.collectedBodyBytes": (\.limits.collectedBodyBytes, 0),
        "limits.errorBodyBytes": (\.limits.errorBodyBytes, 0),
        "limits.expansionRatio": (\.limits.expansionRatio, 0),
        "limits.expansionFloorBytes": (\.limits.expansionFloorBytes, 0),
        "limits.stackedCodings": (\.limits.stackedCodings, 0),
        "requestsInFlight": (\.requestsInFlight, 1),
        "redirects.limit": (\.redirects.limit, 0),
    ]

    private static let times: [String: Path<Duration>] = [
        "timeouts.expectContinue": \.timeouts.expectContinue,
        "pool.idleTimeout": \.pool.idleTimeout,
    ]

    private static let bounds: [String: Path<Duration?>] = [
        "timeouts.connect": \.timeouts.connect,
        "timeouts.tls": \.timeouts.tls,
        "timeouts.proxy": \.timeouts.proxy,
        "timeouts.idleRead": \.timeouts.idleRead,
        "timeouts.idleWrite": \.timeouts.idleWrite,
        "timeouts.request": \.timeouts.request,
        "timeouts.poolWait": \.timeouts.poolWait,
        "timeouts.errorBody": \.timeouts.errorBody,
        "pool.maximumAge": \.pool.maximumAge,
    ]

    private static let switches: [String: Path<Bool>] = [
        "redirects.allowsDowngrade": \.redirects.allowsDowngrade,
        "contentDecoding": \.decodesContent,
        "userCodeOffLoop": \.runsUserCodeOffLoop,
        "startRequestsImmediately": \.startRequestsImmediately,
        "cookies": \.handlesCookies,
    ]
}

extension SessionConfiguration {
    fileprivate var decodesContent: Bool {
        get { contentDecoding == .automatic }
        set { contentDecoding = newValue ? .automatic : .off }
    }

    /// Whether cookies are sent and stored. A jar is kept.
    fileprivate var handlesCookies: Bool {
        get {
            if case .off = cookies { false } else { true }
        }
        set {
            if newValue != handlesCookies { cookies = newValue ? .automatic : .off }
        }
    }

    fileprivate var runsUserCodeOffLoop: Bool {
        get { handlerExecution == .concurrent }
        set { handlerExecution = newValue ? .concurrent : .eventLoop }
    }
}

extension HTTPFields {
    /// Creates fields from an archive's pairs of name and value, which are untrusted.
    init(archived pairs: [[String]]) throws(ApusError) {
        guard pairs.allSatisfy({ $0.count == 2 }) else { throw .archived("fields that are not pairs of strings") }
        do {
            try self.init(checking: pairs.map { ($0[0], $0[1]) })
        } catch {
            throw ApusError(.invalidConfiguration, "the archive has a field that can't be sent", underlying: error)
        }
    }
}
