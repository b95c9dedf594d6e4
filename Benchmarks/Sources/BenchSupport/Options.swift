internal import Foundation

/// The options of a run, parsed from the command line.
public struct Options: Sendable {
    /// The kinds of work. The name of a work, such as `tls-get-100B-c32`, determines its kind.
    public enum Kind: Sendable {
        case get, json, jsonApart, drop, save, upload, multipart, idle, queued, encodeJSON, encodeForm, decode
    }

    /// How the Apus client sends its requests. The other clients ignore this.
    public enum Mode: String, Sendable {
        case loop, task, handle
        /// Foundation's coders, without a client.
        case foundation
    }

    public var work = ""
    public var url = ""
    public var mode = Mode.task
    public var requests = 1
    public var concurrency = 1
    /// The expected size of each response. A response of another size ends the run.
    public var expectedByteCount = 0
    /// A PEM file with trusted certificates, for the works over TLS.
    public var certificateAuthority: String?
    /// The URL of the proxy that the requests go through, for the works with a proxy.
    public var proxy: String?
    /// The file to send, or the file to write.
    public var file = ""
    /// A URL that warms up the client, if the work itself takes too long for that.
    public var warmURL: String?
    /// A URL whose response is delayed until the file ``release`` exists, to keep a connection busy.
    public var holdURL = ""
    public var release = ""

    public init(_ arguments: [String]) throws {
        var rest = arguments.dropFirst()
        while let flag = rest.popFirst() {
            guard let value = rest.popFirst() else { throw BenchError("\(flag) needs a value") }
            switch flag {
            case "--work": work = value
            case "--url": url = value
            case "--mode": mode = try Mode(rawValue: value) ?? { throw BenchError("no mode \(value)") }()
            case "--requests": requests = try Self.count(value)
            case "--concurrency": concurrency = try Self.count(value)
            case "--bytes": expectedByteCount = try Self.count(value)
            case "--ca": certificateAuthority = value
            case "--proxy": proxy = value
            case "--file": file = value
            case "--warm": warmURL = value
            case "--hold": holdURL = value
            case "--release": release = value
            default: throw BenchError("unknown flag \(flag)")
            }
        }
    }

    /// Whether the session has an adapter, a retry policy, cookies and a monitor, as in a typical program.
    public var isFurnished: Bool { work.hasPrefix("furnished-") }

    /// Whether the progress of transfers is reported to a closure.
    public var isObserved: Bool { work.hasPrefix("observed-") }

    /// Whether each request opens a connection, which is closed after it.
    public var opensConnections: Bool { work.hasPrefix("handshake-") }

    /// Whether handshakes offer the key exchange of all clients, without a hybrid one that only some of them have.
    public var usesClassicKeyExchange: Bool { opensConnections && !work.hasPrefix("handshake-hybrid-") }

    /// Returns the kind of the work.
    public func kind() throws -> Kind {
        let prefixes = ["tls-", "h2-", "furnished-", "observed-", "relayed-", "tunnel-", "proxy-"]
        let name = prefixes.first { work.hasPrefix($0) }.map { work.dropFirst($0.count) } ?? work[...]
        if name.hasPrefix("get-") || opensConnections { return .get }
        if name.hasPrefix("json-") { return .json }
        if name.hasPrefix("apart-json-") { return .jsonApart }
        if name.hasPrefix("down-") { return name.hasSuffix("-file") ? .save : .drop }
        if name.hasPrefix("up-multipart-") { return .multipart }
        if name.hasPrefix("up-") { return .upload }
        if name.hasPrefix("encode-json") { return .encodeJSON }
        if name.hasPrefix("encode-form") { return .encodeForm }
        if name.hasPrefix("decode-json") { return .decode }
        if name.hasPrefix("idle-") { return .idle }
        if name.hasPrefix("queued-") { return .queued }
        throw BenchError("no work \(work)")
    }

    private static func count(_ text: String) throws -> Int {
        guard let value = Int(text), value > 0 else { throw BenchError("\(text) is not a positive number") }
        return value
    }
}

/// An error that invalidates a measurement, with a message for the terminal.
public struct BenchError: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) {
        self.description = description
    }
}
