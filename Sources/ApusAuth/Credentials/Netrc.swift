public import ApusCore
public import Foundation

/// The credentials of a netrc file: user names and passwords by host, as ftp, curl and others read them.
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
/// The file is read once. A host is found in whatever case, on any port and for either scheme; of several entries the
/// first that has a password counts, and `default` where there is none. Like curl, and unlike Python, it does not look at
/// who may read the file. A `#` where a word could stand begins a comment, but not where a value is expected.
public struct Netrc: CredentialProvider {
    /// The longest file that is read, in bytes.
    static let byteLimit = 128 << 10

    private let entries: [NetrcParser.Entry]

    /// Reads the file that the environment names as `NETRC`, or else `.netrc` in the home folder.
    ///
    /// - Throws: `ApusError` with the code `fileUnreadable`, or `invalidConfiguration` with the line that is wrong.
    public init() throws(ApusError) {
        let named = ProcessInfo.processInfo.environment["NETRC"].flatMap { $0.isEmpty ? nil : URL(filePath: $0) }
        try self.init(contentsOf: named ?? URL.homeDirectory.appending(path: ".netrc"))
    }

    /// Reads a file.
    ///
    /// - Parameter url: The file, of at most 128 KiB.
    /// - Throws: `ApusError` with the code `fileUnreadable`, or `invalidConfiguration` with the line that is wrong.
    public init(contentsOf url: URL) throws(ApusError) {
        let bytes: Data
        do {
            let file = try FileHandle(forReadingFrom: url)
            defer { try? file.close() }
            bytes = try file.read(upToCount: Self.byteLimit + 1) ?? Data()
        } catch {
            throw ApusError(.fileUnreadable, "the netrc file \(url.path) can't be read", underlying: error)
        }
        try self.init(bytes: bytes, name: "the netrc file \(url.path)")
    }

    /// Reads the text of a netrc file.
    ///
    /// - Parameter text: The text, of at most 128 KiB.
    /// - Throws: `ApusError` with the code `invalidConfiguration`, which names the line that is wrong, and not what is in it.
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

    /// The user name and password for a host; `nil` where the file has none.
    public func credential(forHost host: String) -> Credential? {
        login(forHost: host).map { .user($0.user, password: $0.password) }
    }

    /// The same in plain words, for who sends it unasked.
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
    /// How many entries there are; nothing of them.
    public var description: String { "netrc with \(entries.count) entries" }

    public var customMirror: Mirror { Mirror(self, children: []) }
}
