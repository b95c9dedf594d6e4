public import ApusCore
public import Foundation

/// Reads credentials from a netrc file: user names and passwords by host, as in ftp and curl.
///
/// ```swift
/// let netrc = try Netrc(
///     """
///     machine api.example.org login ada password Lovelace
///     default login anonymous password "a guest"
///     """
/// )
/// var configuration = Session.Configuration()
/// configuration.credentials = CredentialSource(netrc)
/// ```
///
/// The file is read once. Hosts are case-insensitive and match any port and scheme. If a host has several entries, the
/// first one with a password is used, or `default` if there is none. Like curl, and unlike Python, it ignores the
/// file's permissions. A `#` begins a comment where a keyword is expected, but not where a value is expected.
public struct Netrc: CredentialProvider {
    /// The longest file that is read, in bytes.
    static let byteLimit = 128 << 10

    private let entries: [NetrcParser.Entry]

    /// Reads the file that the `NETRC` environment variable names, or `.netrc` in the home folder.
    ///
    /// - Throws: `ApusError` with the code `fileUnreadable`, or `invalidConfiguration` with the invalid line's number.
    public init() throws(ApusError) {
        let named = ProcessInfo.processInfo.environment["NETRC"].flatMap { $0.isEmpty ? nil : URL(filePath: $0) }
        try self.init(contentsOf: named ?? URL.homeDirectory.appending(path: ".netrc"))
    }

    /// Reads a file.
    ///
    /// - Parameter url: The file, of at most 128 KiB.
    /// - Throws: `ApusError` with the code `fileUnreadable`, or `invalidConfiguration` with the invalid line's number.
    public init(contentsOf url: URL) throws(ApusError) {
        let bytes: Data
        do {
            let file = try FileHandle(forReadingFrom: url)
            defer { try? file.close() }
            bytes = try file.read(upToCount: Self.byteLimit + 1) ?? Data()
        } catch {
            throw ApusError(.fileUnreadable, "the netrc file \(url.path) can't be read", underlying: error)
                .with(file: url)
        }
        try self.init(bytes: bytes, name: "the netrc file \(url.path)")
    }

    /// Reads the text of a netrc file.
    ///
    /// - Parameter text: The text, of at most 128 KiB.
    /// - Throws: `ApusError` with the code `invalidConfiguration`, with the invalid line's number but not its text.
    public init(_ text: String) throws(ApusError) {
        try self.init(bytes: Data(text.utf8), name: "the netrc file")
    }

    private init(bytes: Data, name: String) throws(ApusError) {
        guard bytes.count <= Self.byteLimit else {
            throw ApusError(.invalidConfiguration, "\(name) is longer than \(Self.byteLimit >> 10) KiB")
        }
        var parser = NetrcParser(bytes)
        do throws(NetrcParser.Fault) {
            self.entries = try parser.parse()
        } catch {
            throw ApusError(.invalidConfiguration, "line \(error.line) of \(name): \(error.reason)")
        }
    }

    /// Returns the user name and password for a host, or `nil` if the file has none.
    public func credential(forHost host: String) -> Credential? {
        login(forHost: host).map { .user($0.user, password: $0.password) }
    }

    /// Returns the user name and password as strings, for callers that send them without a challenge.
    package func login(forHost host: String) -> (user: String, password: String)? {
        let host = host.lowercased()
        let entry = entries.first { $0.host == host && $0.password != nil } ?? entries.first { $0.host == nil }
        guard let entry, let password = entry.password else { return nil }
        return (entry.login ?? "", password)
    }

    public func credential(for query: CredentialQuery) -> Credential? {
        credential(forHost: query.space.origin.host)
    }
}

extension Netrc: CustomStringConvertible, CustomReflectable {
    /// The number of entries, without revealing any of them.
    public var description: String { "netrc with \(entries.count) entries" }

    public var customMirror: Mirror { Mirror(self, children: []) }
}
