internal import Testing

@testable internal import ApusCore

@Suite struct ProxyEnvironmentTests {
    typealias Row = (variables: [String: String], url: String, proxy: String?)

    /// Variables for both schemes, and others.
    private static func two(_ others: [String: String] = [:]) -> [String: String] {
        others.merging(["http_proxy": "http://h:1", "https_proxy": "http://s:2"]) { $1 }
    }

    static let rows: [Row] = [
        ([:], "http://a.example/", nil),
        (two(), "http://a.example/", "http://h:1"),
        (two(), "https://a.example/", "http://s:2"),
        (["http_proxy": "h:1"], "https://a.example/", nil),
        (["https_proxy": "h:1"], "http://a.example/", nil),
        // A CGI program gets HTTP_PROXY from the Proxy field of a request.
        (["HTTP_PROXY": "h:1"], "http://a.example/", nil),
        (["HTTPS_PROXY": "h:1"], "https://a.example/", "http://h:1"),
        (["HTTPS_PROXY": "h:1", "https_proxy": "l:2"], "https://a.example/", "http://l:2"),
        (["all_proxy": "socks5h://h:1"], "http://a.example/", "socks5h://h:1"),
        (["ALL_PROXY": "socks5h://h:1"], "https://a.example/", "socks5h://h:1"),
        (["ALL_PROXY": "u:1", "all_proxy": "l:2"], "https://a.example/", "http://l:2"),
        (["all_proxy": "h:1", "https_proxy": "s:2"], "https://a.example/", "http://s:2"),
        (["all_proxy": "h:1", "https_proxy": "s:2"], "http://a.example/", "http://h:1"),
        (["all_proxy": "h:1", "https_proxy": ""], "https://a.example/", "http://h:1"),
        (["http_proxy": ""], "http://a.example/", nil),
        (two(["no_proxy": "a.example"]), "http://a.example/", nil),
        (two(["NO_PROXY": "a.example"]), "http://b.a.example/", nil),
        (two(["no_proxy": "c.example", "NO_PROXY": "a.example"]), "http://a.example/", "http://h:1"),
        (two(["no_proxy": "*"]), "https://a.example/", nil),
        (two(["no_proxy": "a.example:443"]), "https://a.example/", nil),
        (two(["no_proxy": "a.example:443"]), "http://a.example/", "http://h:1"),
        (two(["no_proxy": "10.0.0.0/8"]), "http://10.1.2.3/", nil),
        // Requests to this machine use no proxy of the environment, as in Go and unlike in curl.
        (two(), "http://localhost/", nil),
        (two(), "http://localhost./", nil),
        (two(), "https://LOCALHOST:8443/", nil),
        (two(), "http://api.localhost:8080/", nil),
        (two(), "http://127.0.0.1/", nil),
        (two(), "http://127.9.8.7/", nil),
        (two(), "http://[::1]/", nil),
        (two(), "http://[::ffff:127.0.0.1]/", nil),
        (two(), "http://notlocalhost/", "http://h:1"),
        (two(), "http://128.0.0.1/", "http://h:1"),
        (two(), "http://[::2]/", "http://h:1"),
        (two(), "http://127.1/", nil),
        (two(), "http://0x7f.1/", nil),
        (two(), "http://0177.0.0.1/", nil),
        (two(), "http://2130706433/", nil),
        (two(), "http://127.0.0.1./", nil),
        (two(), "http://127.1./", nil),
        (two(), "http://[0:0:0:0:0:0:0:1]/", nil),
        (two(), "http://api.localhost./", nil),
        (two(), "http://localhost../", "http://h:1"),
        (two(), "http://128.1/", "http://h:1"),
        (two(), "http://127.1.example/", "http://h:1"),
        (two(), "http://[64:ff9b::127.0.0.1]/", "http://h:1"),
        // As in Go, the unspecified address is not this machine.
        (two(), "http://0.0.0.0/", "http://h:1"),
        (two(["no_proxy": "10.0.0.0/8"]), "http://10.1/", nil),
        (two(["no_proxy": "10.0.0.0/8"]), "http://0xa.1.2.3/", nil),
        (two(["no_proxy": "10.0.0.0/8"]), "http://167772161/", nil),
        (two(["no_proxy": "10.1"]), "http://10.0.0.1/", nil),
    ]

    @Test(arguments: rows)
    func choosesAProxy(row: Row) throws {
        let environment = ProxyEnvironment { row.variables[$0] }
        let proxy = try environment.proxy(for: TargetURI(row.url))
        #expect(proxy.map { "\($0)" } == row.proxy)
    }

    @Test(arguments: ["http_proxy", "all_proxy", "ALL_PROXY"])
    func namesTheVariableOfAnInvalidURL(name: String) throws {
        let environment = ProxyEnvironment { $0 == name ? "http://ada:secret@h:x" : nil }
        let target = try TargetURI("http://a.example/")
        let error = #expect(throws: ApusError.self) { try environment.proxy(for: target) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.detail.contains(name) == true)
        #expect(error.map { "\($0)".contains("secret") } == false)
        #expect(try environment.proxy(for: TargetURI("http://localhost/")) == nil)
    }

    @Test func isEmptyWithoutProxies() {
        #expect(ProxyEnvironment { _ in nil }.isEmpty)
        #expect(ProxyEnvironment { $0 == "no_proxy" ? "*" : nil }.isEmpty)
        #expect(!ProxyEnvironment { $0 == "all_proxy" ? "h" : nil }.isEmpty)
        #expect(!ProxyEnvironment { $0 == "https_proxy" ? "invalid:" : nil }.isEmpty)
    }
}
