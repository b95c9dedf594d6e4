public import ApusCore
public import Foundation

/// A file that keeps the cookies of a jar.
///
/// ```swift
/// let file = CookieFile(at: folder.appending(path: "cookies.json"))
/// let jar = try CookieJar(file: file)
/// ```
///
/// The jar writes a complete new file beside it, and moves that into its place when it is on the disk. So a reader
/// finds the old file or the new one, after a crash too. If two programs write it, the last one wins. Only its owner
/// may read it. The jar refuses a file that it can't read as its format, and leaves it as it is.
public struct CookieFile: Sendable, Hashable {
    /// How cookies are written down.
    public enum Format: Sendable, Hashable {
        /// JSON with all that is known of a cookie.
        case json
        /// The format of Netscape's cookies.txt, as curl, wget and Python read and write it. It knows no `SameSite`, and
        /// not when a cookie was made and used; a cookie with a tab in its parts has no place in it and is left out.
        case netscape
    }

    /// Where the file is.
    public let url: URL
    /// How cookies are written down.
    public let format: Format
    /// Whether cookies without an end are written too; `false` by default.
    public let keepsSessionCookies: Bool
    /// Whether a jar writes its changes by itself, within a second; else only `CookieJar.save()` does. `true` by default.
    public let savesByItself: Bool

    /// Names a file; it is not looked at yet.
    ///
    /// - Parameters:
    ///   - url: Where the file is, or is to be; its folder has to be there.
    ///   - format: How cookies are written down; `.json` by default.
    ///   - keepsSessionCookies: Whether cookies without an end are written too; `false` by default.
    ///   - savesByItself: Whether a jar writes its changes by itself; `true` by default. What is not older than a second
    ///     when a program ends may not have been written: `CookieJar.save()` does it for certain.
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

    /// Reads the cookies, which blocks.
    ///
    /// - Returns: The cookies in their order, expired ones among them; none where there is no file.
    /// - Throws: `ApusError` with the code `fileUnreadable` where the file can't be read, or is not what was written.
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
                "'\(url.path(percentEncoded: false))' is no file of cookies: \(error.description); it was left as it is"
            )
        }
    }

    /// Writes cookies in place of those that are there, which blocks. Where a link leads to the file, the link stays.
    ///
    /// - Parameter cookies: The cookies; those without an end are left out where the file does not keep them.
    /// - Throws: `ApusError` with the code `fileUnwritable`, for what is no regular file too; what was in the file before is
    ///   still there.
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

/// What is wrong with a file of cookies; it tells no value.
struct CookieFileFault: Error {
    let description: String
}
