internal import Testing

@testable internal import ApusCore

@Suite struct ProxySelectionTests {
    private let server = ProxyServer(host: "p", port: 1, user: "ada", password: "secret")
    private let environment = ProxyEnvironment { ["all_proxy": "e:2", "no_proxy": "b.example"][$0] }

    private func proxy(_ selection: ProxySelection, _ url: String) throws -> ProxyServer? {
        try selection.proxy(for: TargetURI(url), in: environment)
    }

    @Test func choosesNone() throws {
        #expect(try proxy(ProxySelection.none, "http://a.example/") == nil)
        #expect(ProxySelection.none.isEmpty(in: environment))
    }

    @Test func choosesAServerForAllButTheExceptions() throws {
        let selection = ProxySelection.server(server, except: "b.example")
        #expect(try proxy(selection, "http://a.example/") == server)
        #expect(try proxy(selection, "https://a.example/") == server)
        #expect(try proxy(selection, "https://127.0.0.1/") == server)
        #expect(try proxy(selection, "https://b.example/") == nil)
        #expect(!selection.isEmpty(in: environment))
    }

    @Test func choosesAServerForEachScheme() throws {
        let selection = ProxySelection.servers(http: nil, https: server)
        #expect(try proxy(selection, "http://a.example/") == nil)
        #expect(try proxy(selection, "https://a.example/") == server)
        #expect(ProxySelection.servers(http: nil, https: nil).isEmpty(in: environment))
    }

    @Test func choosesTheEnvironment() throws {
        #expect(try proxy(.environment, "http://a.example/")?.host == "e")
        #expect(try proxy(.environment, "http://b.example/") == nil)
        #expect(try proxy(.environment(except: "a.example"), "http://a.example/") == nil)
        #expect(try proxy(.environment(except: "a.example"), "http://b.example/")?.host == "e")
        let other = ProxyEnvironment { _ in nil }
        #expect(try proxy(.environment(other), "http://a.example/") == nil)
        #expect(ProxySelection.environment.isEmpty(in: other))
        #expect(!ProxySelection.environment.isEmpty(in: environment))
    }

    @Test func choosesByARule() throws {
        let server = server
        let rule = ProxySelection.rule { $0.path == "/p" ? server : nil }
        #expect(try proxy(rule, "http://a.example/p") == server)
        #expect(try proxy(rule, "http://a.example/q") == nil)
    }

    @Test func tellsWhetherThisMachineMayBeReachedThroughAProxy() throws {
        let target = try TargetURI("http://localhost:8080/")
        let direct: [ProxySelection] = [
            ProxySelection.none, .environment, .environment(environment), .server(server, except: "localhost"),
            .servers(http: nil, https: server),
        ]
        #expect(direct.filter { $0.mayServe(loopback: target) }.isEmpty)
        let others: [ProxySelection] = [.server(server), .server(server, except: "localhost:1"), .rule { _ in nil }]
        #expect(others.filter { !$0.mayServe(loopback: target) }.isEmpty)
    }

    @Test func isEqualToItsCopies() {
        let rule = ProxySelection.rule { _ in nil }
        let copy = rule
        #expect(rule == copy)
        #expect(rule != ProxySelection.rule { _ in nil })
        #expect(ProxySelection.server(server) == .server(server))
        #expect(ProxySelection.server(server) != .environment)
    }

    @Test func hidesCredentials() {
        let texts = ["\(ProxySelection.server(server))", String(reflecting: ProxySelection.server(server))]
        #expect(texts == ["http://p:1", "http://p:1"])
    }

    @Test func isTheEnvironmentByDefault() {
        #expect(SessionConfiguration().proxy == .environment)
        #expect(SessionConfiguration().timeouts.proxy == .seconds(10))
    }
}
