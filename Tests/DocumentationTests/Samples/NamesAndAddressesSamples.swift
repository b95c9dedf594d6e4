internal import Apus
internal import ApusTesting
internal import Foundation
internal import Testing

/// The code of the guide to names and addresses, and of the comments on its types.
@Suite(.timeLimit(.minutes(5)))
struct NamesAndAddressesSamples {
    struct Registry: HostResolving {
        let hosts: [String: IPAddress]

        func addresses(of host: String) async throws -> [IPAddress] {
            guard let address = hosts[host] else { throw ApusError(.hostNotFound, "there is no '\(host)'") }
            return [address]
        }
    }

    struct Staging: HostResolving {
        func addresses(of host: String) async throws -> [IPAddress] {
            try await SystemHostResolver().addresses(of: host == "api.example.org" ? "staging.example.org" : host)
        }
    }

    private let transport = MockTransport { _ in MockResponse(body: "ok") }

    @Test func resolvers() async throws {
        let registry = Registry(hosts: ["a.test": .loopback])
        #expect(try await registry.addresses(of: "a.test") == [IPAddress.loopback])
        var configuration = Session.Configuration()
        configuration.resolver = Staging()
        configuration.resolver = CachingResolver()
        #expect(configuration.resolver is CachingResolver)
    }

    @Test func overrides() async throws {
        let session = Session(transport: transport)
        var rules = AddressRules()
        rules.overrides["api.example.org:443"] = [.v4(192, 0, 2, 7)]
        let response = try await session.get("https://api.example.org/users", options: [rules])
        #expect(response.status == .ok)
        #expect(transport.requests.first?.options[AddressRules.self] == rules)
        var configuration = Session.Configuration()
        configuration.addresses.overrides["api.example.org"] = .host("staging.example.org", port: 8443)
        #expect(configuration.addresses.overrides.count == 1)
    }

    @Test func rules() {
        var configuration = Session.Configuration()
        configuration.addresses.family = .ipv4
        configuration.addresses.order = .rotating
        configuration.addresses.localAddress = .interface("eth1")
        #expect(configuration.addresses != AddressRules())
    }

    static func unixSocket() async throws -> Data {
        var configuration = Session.Configuration()
        configuration.addresses.unixSocket = "/var/run/docker.sock"
        let session = Session(configuration: configuration)
        let version = try await session.get("http://localhost/version").validate().data
        return version
    }

    @Test func guards() {
        var configuration = Session.Configuration()
        configuration.addresses.guard = .publicOnly
        #expect(configuration.addresses.guard == .publicOnly)
        let internalHosts = AddressGuard("public or payments") { address, origin in
            address.isPublic || origin.host == "payments.internal" && address.isPrivate
        }
        configuration.addresses.guard = internalHosts
        #expect(configuration.addresses.guard == internalHosts)
    }

    @Test func addresses() {
        let address = IPAddress("192.0.2.7")
        let loopback = IPAddress.v4(127, 0, 0, 1)
        #expect(address?.isPublic == false && loopback.isLoopback)
    }
}
