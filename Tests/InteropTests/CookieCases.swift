internal import Apus
internal import Foundation

/// Generated Set-Cookie fields, and the cookies that a jar then sends.
struct CookieCase: Encodable {
    /// A Set-Cookie field, and the URL of its request.
    struct Setting: Encodable {
        let url: String
        let field: String
    }

    /// A request's URL, and the cookies sent with it.
    struct Sending: Encodable {
        let url: String
        let sent: [String]
    }

    private static let hosts = [
        "example.org", "www.example.org", "a.www.example.org", "other.example", "shop.co.uk", "127.0.0.1", "192.0.2.7",
    ]
    private static let paths = ["/", "/a", "/a/", "/a/b", "/ab", "/a/b/c?d=/e", "/?/a", "/%41"]
    private static let names = [
        "sid", "a", "b", "A", "na me", "sid", "a", "b", "A", "c", "d", "__Secure-a", "__Host-a", "",
    ]
    private static let values = ["1", "2", "", "\"q\"", "x=y", "x, y", "=", "\"a b\"", "%20"]
    private static let attributes = [
        "Path=/", "path=/a", "PATH=/a/", "Path=/a/b", "Path=", "Path=a", "Path", "Domain=example.org",
        "domain=.example.org",
        "Domain=www.example.org", "DOMAIN=.WWW.example.org", "Domain=other.example", "Domain=org", "Domain=co.uk",
        "Domain=shop.co.uk", "Domain=", "Domain=127.0.0.1", "Domain=0.0.1", "Secure", "secure=no", "HttpOnly",
        "SameSite=Lax", "SameSite=None", "Max-Age=100", "Max-Age=0", "max-age=-5", "Max-Age=soon", "Max-Age=",
        "Expires=Wed, 09 Nov 2094 08:49:37 GMT", "expires=Wed, 09-Nov-2094 08:49:37 GMT",
        "Expires=Wed, 09 Nov 1994 08:49:37 GMT", "Expires=Wed Nov  9 08:49:37 2094", "Expires=09 Nov 94 08:49:37",
        "Expires=soon", "Expires=Nov 9th 1994, 08:49:37", "Comment=none", "Version=1", "other", "",
    ]

    let number: Int
    let settings: [Setting]
    let sendings: [Sending]

    init(_ hostile: inout Hostile, number: Int) throws {
        let jar = CookieJar()
        self.number = number
        self.settings = (0...hostile.number(below: 2)).map { _ in
            let setting = Setting(url: Self.url(&hostile), field: Self.field(&hostile))
            // Rejected cookies are left out, because the rejection is part of the comparison.
            try? jar.receive(setCookie: setting.field, from: TargetURI(setting.url))
            return setting
        }
        self.sendings = try Self.hosts.flatMap { host in
            try ["http", "https"].map { scheme in
                let url = "\(scheme)://\(host)\(Self.paths[hostile.number(below: Self.paths.count)])"
                let cookies = jar.cookies(for: try TargetURI(url))
                return Sending(url: url, sent: cookies.map { $0.name.isEmpty ? $0.value : "\($0.name)=\($0.value)" })
            }
        }
    }

    private static func url(_ hostile: inout Hostile) -> String {
        let scheme = hostile.isOne(of: 2) ? "http" : "https"
        return "\(scheme)://\(hosts[hostile.number(below: hosts.count)])\(paths[hostile.number(below: paths.count)])"
    }

    private static func field(_ hostile: inout Hostile) -> String {
        let name = names[hostile.number(below: names.count)]
        let value = values[hostile.number(below: values.count)]
        let pair = hostile.isOne(of: 20) ? name + value : "\(name)=\(value)"
        let attributes = (0..<hostile.number(below: 4)).map { _ in
            Self.attributes[hostile.number(below: Self.attributes.count)]
        }
        return ([pair] + attributes).joined(separator: hostile.isOne(of: 5) ? ";" : "; ")
    }
}
