internal import ApusCore
internal import Foundation

/// Reads and writes cookies in Netscape's cookies.txt format: one line each, with seven fields separated by tabs.
///
/// The fields are the domain (with a leading dot if it includes subdomains), whether subdomains are included, the path,
/// whether the cookie is secure, its expiration in seconds since 1970 (0 for session cookies), its name and its value.
/// As in curl, a line that begins with `#HttpOnly_` is an HTTP-only cookie. Others that begin with `#` are comments.
enum NetscapeCookies {
    private static let httpOnly = "#HttpOnly_"

    static func data(of cookies: [Cookie]) -> Data {
        var text = "# Netscape HTTP Cookie File\n# https://curl.se/docs/http-cookies.html\n\n"
        for cookie in cookies {
            let fields = [
                (cookie.isHTTPOnly ? httpOnly : "") + (cookie.isHostOnly ? "" : ".") + cookie.domain,
                cookie.isHostOnly ? "FALSE" : "TRUE",
                cookie.path,
                cookie.isSecure ? "TRUE" : "FALSE",
                cookie.expires.map { String(seconds($0)) } ?? "0",
                cookie.name,
                cookie.value,
            ]
            // A tab would end the field. Other characters that end a line or a field cannot occur in a cookie.
            guard !fields.contains(where: { $0.utf8.contains(0x09) }) else { continue }
            text += fields.joined(separator: "\t") + "\n"
        }
        return Data(text.utf8)
    }

    /// Returns whole seconds, but never 0, which means no expiration.
    private static func seconds(_ date: Date) -> Int64 {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        return max(1, Int64(exactly: seconds) ?? (seconds < 0 ? 1 : .max))
    }

    static func cookies(in data: Data) throws(CookieFileFault) -> [Cookie] {
        guard let text = String(validating: data, as: UTF8.self) else {
            throw CookieFileFault(description: "it is not UTF-8")
        }
        var cookies: [Cookie] = []
        // Split by bytes, because CR LF is a single `Character`.
        for (index, bytes) in text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            let line = Substring(bytes.last == 0x0D ? bytes.dropLast() : bytes)
            if let cookie = try cookie(in: line, number: index + 1) { cookies.append(cookie) }
        }
        return cookies
    }

    private static func cookie(in line: Substring, number: Int) throws(CookieFileFault) -> Cookie? {
        let isHTTPOnly = line.hasPrefix(httpOnly)
        let rest = isHTTPOnly ? line.dropFirst(httpOnly.count) : line
        guard !rest.hasPrefix("#"), rest.utf8.contains(where: { $0 != 0x20 && $0 != 0x09 }) else { return nil }
        let fields = rest.utf8.split(separator: 0x09, omittingEmptySubsequences: false).map { String(Substring($0)) }
        // curl omits an empty value together with the tab before it.
        guard (6...7).contains(fields.count), let isForBelow = flag(fields[1]), let isSecure = flag(fields[3]),
            let end = end(fields[4])
        else { throw CookieFileFault(description: "line \(number) is not a cookie") }
        do throws(ApusError) {
            return try Cookie(
                name: fields[5],
                value: fields.count == 7 ? fields[6] : "",
                domain: fields[0],
                isHostOnly: !isForBelow,
                path: fields[2],
                expires: end,
                isSecure: isSecure,
                isHTTPOnly: isHTTPOnly
            )
        } catch {
            throw CookieFileFault(description: "in line \(number), \(error.detail)")
        }
    }

    private static func flag(_ text: String) -> Bool? {
        switch text {
        case "TRUE": true
        case "FALSE": false
        default: nil
        }
    }

    /// Returns the date, `.some(nil)` if there is no expiration, or `nil` if the text is invalid.
    private static func end(_ text: String) -> Date?? {
        if text.isEmpty || text == "0" { return .some(nil) }
        guard let seconds = Int64(text) else { return nil }
        return .some(Date(timeIntervalSince1970: Double(seconds)))
    }
}
