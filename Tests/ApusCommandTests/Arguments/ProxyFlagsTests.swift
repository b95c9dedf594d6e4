import Apus
import ApusTestServer
import Testing

@testable import ApusCommand

@Suite struct ProxyFlagsTests {
    private let environment = ["all_proxy": "http://e.example:1", "no_proxy": "direct.example"]

    /// Returns the proxy of a request with these flags, and without user and password.
    private func proxy(_ url: String, _ arguments: [String]) throws -> String? {
        guard case .invocation(let invocation) = try Invocation.read(arguments + [url]) else { return nil }
        let selection = invocation.proxies.selection(in: environment)
        return try selection.proxy(for: TargetURI(url), in: ProxyEnvironment { _ in nil })?.description
    }

    static let rows: [(arguments: [String], http: String?, https: String?)] = [
        ([], "http://e.example:1", "http://e.example:1"),
        (["--proxy", "http://p.example:2"], "http://p.example:2", "http://p.example:2"),
        (["--proxy=p.example:2"], "http://p.example:2", "http://p.example:2"),
        (["--proxy=https://p.example"], "https://p.example:443", "https://p.example:443"),
        (["--proxy=socks5://p.example"], "socks5://p.example:1080", "socks5://p.example:1080"),
        (["--proxy=socks5h://p.example"], "socks5h://p.example:1080", "socks5h://p.example:1080"),
        (["--proxy=http:http://p.example:2"], "http://p.example:2", nil),
        (["--proxy=https:socks5h://p.example:2"], nil, "socks5h://p.example:2"),
        (["--proxy=https:p.example:2"], nil, "http://p.example:2"),
        (["--proxy=http:a.example:2", "--proxy=https:b.example:3"], "http://a.example:2", "http://b.example:3"),
        (["--proxy=a.example:2", "--proxy=https:b.example:3"], "http://a.example:2", "http://b.example:3"),
        (["--proxy=none"], nil, nil),
        (["--proxy=p.example", "--proxy=NONE"], nil, nil),
        (["--proxy=none", "--proxy=p.example:2"], "http://p.example:2", "http://p.example:2"),
        (["--no-proxy=host.example"], nil, nil),
        (["--proxy=p.example", "--no-proxy", "a.example,host.example"], nil, nil),
        (["--proxy=p.example:2", "--no-proxy=other.example"], "http://p.example:2", "http://p.example:2"),
        (["--no-proxy=host.example", "--no-no-proxy"], "http://e.example:1", "http://e.example:1"),
    ]

    @Test(arguments: rows)
    func chooses(row: (arguments: [String], http: String?, https: String?)) throws {
        #expect(try proxy("http://host.example/", row.arguments) == row.http)
        #expect(try proxy("https://host.example/", row.arguments) == row.https)
    }

    @Test func replacesTheExceptionsOfTheEnvironment() throws {
        #expect(try proxy("http://direct.example/", []) == nil)
        #expect(try proxy("http://direct.example/", ["--no-proxy=other.example"]) == "http://e.example:1")
        #expect(try proxy("http://direct.example/", ["--no-proxy="]) == "http://e.example:1")
    }

    @Test(arguments: ["", "ftp://p.example", "socks4://p.example", "http:", "http:ftp://p.example", "p.example:x"])
    func rejectsURLs(url: String) {
        #expect(throws: CommandFault.self) { _ = try Invocation.read(["--proxy=\(url)", "h"]) }
    }

    @Test func showsThemToCurl() async {
        let run = await CommandRunner().run(
            "--curl",
            "--proxy=http://ada:secret@p.example:2",
            "--no-proxy=a.example",
            "http://h"
        )
        #expect(run.output.text.contains("'--proxy' 'http://p.example:2' '--proxy-user' 'ada:secret'"))
        #expect(run.output.text.contains("'--noproxy' 'a.example'"))
        let without = await CommandRunner().run("--curl", "--proxy=none", "http://h")
        #expect(without.output.text.contains("'--noproxy' '*'"))
    }

    @Test(.timeLimit(.minutes(5))) func sendsRequestsThroughAProxy() async throws {
        try await TestServer.with { server in
            try await TestProxy.with { proxy in
                let run = await CommandRunner().run("--proxy", proxy.url, "--print=m", server.url("/get"))
                #expect(run.exitCode == .success)
                #expect(run.output.text.contains("\nProxy: \(proxy.url)\n"))
                let url = "http://host.example:\(server.port)/get"
                let other = await CommandRunner(environment: ["http_proxy": proxy.url]).run("--print=h", url)
                #expect(other.output.text.hasPrefix("HTTP/1.1 200"))
                #expect(proxy.requests.map(\.target) == [server.url("/get"), url])
            }
        }
    }

    @Test(.timeLimit(.minutes(5))) func namesAFlagInErrors() async throws {
        var options = TestProxy.Options()
        options.challenges = { _ in ["Basic realm=\"p\""] }
        try await TestProxy.with(options) { proxy in
            let run = await CommandRunner().run("--proxy", proxy.url, "https://host.example/")
            #expect(run.exitCode == .failure)
            #expect(run.error.text.contains("--proxy http://USER:PASSWORD@HOST:PORT"))
        }
    }
}
