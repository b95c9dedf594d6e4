internal import Apus
internal import Foundation

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The netrc file of who types the command: the one that `NETRC` names, or else `.netrc` in the home folder.
struct NetrcFile {
    private let path: String

    /// Looks whether there is one; `nil` where there is none, which costs no more than that look.
    init?(_ console: Console) {
        if let named = console.environment["NETRC"], !named.isEmpty {
            // One that was named and is not there is a fault of its reading.
            path = console.files.path(named)
        } else if let home = console.environment["HOME"], !home.isEmpty {
            path = "\(home)/.netrc"
            guard access(path, F_OK) == 0 else { return nil }
        } else {
            return nil
        }
    }

    /// The user name and the password for a host; `nil` where it has none.
    ///
    /// - Throws: `ApusError` where it can't be read, or a line of it is wrong.
    func login(forHost host: String) throws(ApusError) -> (user: String, password: String)? {
        try Netrc(contentsOf: URL(fileURLWithPath: path)).login(forHost: host)
    }
}
