internal import Apus
internal import ApusPlatform
internal import Foundation

/// The user's netrc file: the one in `NETRC`, or `.netrc` in the home folder.
struct NetrcFile {
    private let path: String

    /// Checks whether a file exists, and returns `nil` if not. The file is not read yet.
    init?(_ console: Console) {
        if let named = console.environment["NETRC"], !named.isEmpty {
            // A missing file is reported when it is read.
            path = console.files.path(named)
        } else if let home = console.environment["HOME"], !home.isEmpty {
            path = "\(home)/.netrc"
            guard access(path, F_OK) == 0 else { return nil }
        } else {
            return nil
        }
    }

    /// Returns the user name and the password for a host, or `nil` if the file has none.
    ///
    /// - Throws: `ApusError` if the file can't be read or has an invalid line.
    func login(forHost host: String) throws(ApusError) -> (user: String, password: String)? {
        try Netrc(contentsOf: URL(fileURLWithPath: path)).login(forHost: host)
    }
}
