public import ApusCore
public import Foundation

/// A file that stores the cookies of a jar.
///
/// ```swift
/// let file = CookieFile(at: folder.appending(path: "cookies.json"))
/// let jar = try CookieJar(file: file)
/// ```
///
/// The jar writes a complete new file and then renames it to the final name. Even after a crash, readers find either
/// the old file or the new one. If several programs write the file, the last write wins. The file is readable only by
/// its owner. The jar rejects a file with invalid data and leaves it unchanged.
public struct CookieFile: Sendable, Hashable {
    /// The format of a file.
    public enum Format: Sendable, Hashable {
        /// JSON with all properties of a cookie.
        case json
        /// The format of Netscape's cookies.txt, as used by curl, wget and Python. It has no `SameSite` and no creation
        /// or access dates. Cookies that contain a tab cannot be represented and are left out.
        case netscape
    }

    /// The location of the file.
    public let url: URL
    /// The format of the file.
    public let format: Format
    /// Whether session cookies are written too. Default: `false`.
    public let keepsSessionCookies: Bool
    /// Whether a jar saves changes automatically, within a second, or only in `CookieJar.save()`. Default: `true`.
    public let savesByItself: Bool

    /// Describes a file. Does not access it yet.
    ///
    /// - Parameters:
    ///   - url: The location of the file. Its folder must exist.
    ///   - format: The format of the file. Default: `.json`.
    ///   - keepsSessionCookies: Whether session cookies are written too. Default: `false`.
    ///   - savesByItself: Whether a jar saves changes automatically. Changes of the last second may be lost when the
    ///     program exits, unless it calls `CookieJar.save()`. Default: `true`.
    public init(
        at url: URL,
        format: Format = .json,
        keepsSessionCookies: Bool = false,
        savesByItself: Bool = true
    ) {
        self.url = url
        self.format = format
        self.keepsSessionCookies = keepsSessionCookies
        self.savesByItself = savesByItself
    }

    /// Reads the cookies. This call blocks.
    ///
    /// - Returns: The cookies in their order, including expired ones. Empty if there is no file.
    /// - Throws: `ApusError` with the code `fileUnreadable` if the file cannot be read or has invalid data.
    public func read() throws(ApusError) -> [Cookie] {
        guard let data = try PrivateFile(url, or: .fileUnreadable).read() else { return [] }
        do throws(CookieFileFault) {
            switch format {
            case .json: return try CookieDocument.cookies(in: data)
            case .netscape: return try NetscapeCookies.cookies(in: data)
            }
        } catch {
            throw ApusError(
                .fileUnreadable,
                "'\(url.path(percentEncoded: false))' is not a cookie file: \(error.description); it was not changed"
            )
        }
    }

    /// Replaces the cookies in the file. This call blocks. If the URL is a symbolic link, its target is replaced.
    ///
    /// - Parameter cookies: The cookies. Session cookies are left out unless `keepsSessionCookies` is set.
    /// - Throws: `ApusError` with the code `fileUnwritable`, also if it is not a regular file. The previous file is
    ///   then unchanged.
    public func write(_ cookies: [Cookie]) throws(ApusError) {
        let kept = keepsSessionCookies ? cookies : cookies.filter(\.isPersistent)
        let data =
            switch format {
            case .json: try CookieDocument.data(of: kept)
            case .netscape: NetscapeCookies.data(of: kept)
            }
        try PrivateFile(url, or: .fileUnwritable).write(data)
    }
}

/// The problem with a cookie file. Its description contains no cookie values.
struct CookieFileFault: Error {
    let description: String
}

extension CookieFile: SavedFile {}

/// Writes the cookies of a jar to its file.
typealias CookieSaver = FileSaver<CookieFile>
