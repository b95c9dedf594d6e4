internal import ApusCore
internal import NIOCore
internal import Testing

@testable internal import ApusEngine

@Suite(.timeLimit(.minutes(5))) struct AddressSelectionTests {
    private static let (one, two, three) = (
        IPAddress.v4(192, 0, 2, 1), IPAddress.v4(192, 0, 2, 2), IPAddress.v4(192, 0, 2, 3)
    )
    private static let (six, seven) = (
        IPAddress.v6(0x2001, 0xDB8, 0, 0, 0, 0, 0, 6), IPAddress.v6(0x2001, 0xDB8, 0, 0, 0, 0, 0, 7)
    )

    private func select(
        _ found: [IPAddress],
        turn: Int = 0,
        _ change: (inout AddressRules) -> Void = { _ in }
    ) throws(ApusError) -> [IPAddress] {
        var rules = AddressRules()
        change(&rules)
        let selection = AddressSelection(rules: rules, origin: Origin(scheme: .http, host: "a.test"))
        return try selection.addresses(from: found, of: "a.test") { turn }
    }

    @Test func alternatesTheFamilies() throws {
        let order = try select([Self.six, Self.seven, Self.one, Self.two])
        #expect(order == [Self.six, Self.one, Self.seven, Self.two])
    }

    @Test func keepsAFamily() throws {
        let found = [Self.six, Self.one, Self.two]
        #expect(try select(found) { $0.family = .ipv4 } == [Self.one, Self.two])
        #expect(try select(found) { $0.family = .ipv6 } == [Self.six])
        let error = #expect(throws: ApusError.self) { try select([Self.one]) { $0.family = .ipv6 } }
        #expect(error?.detail == "'a.test' has no IPv6 address")
        let empty = #expect(throws: ApusError.self) { try select([]) { $0.family = .ipv6 } }
        #expect(empty?.code == .hostNotFound && empty?.detail == "'a.test' has no usable address")
    }

    @Test(arguments: [(0, [1, 2, 3]), (1, [2, 3, 1]), (2, [3, 1, 2]), (3, [1, 2, 3]), (7, [2, 3, 1])])
    func rotatesEachFamily(turn: Int, expected: [Int]) throws {
        let found = [Self.six, Self.one, Self.two, Self.three]
        let order = try select(found, turn: turn) { $0.order = .rotating }
        #expect(order.first == Self.six)
        #expect(Array(order.dropFirst()) == expected.map { IPAddress.v4(192, 0, 2, UInt8($0)) })
    }

    @Test func shufflesEachFamily() throws {
        let found = (1...100).map { IPAddress.v4(192, 0, 2, $0) } + [Self.six]
        let order = try select(found) { $0.order = .randomized }
        #expect(Set(order) == Set(found) && order.count == found.count)
        #expect(order[1] == Self.six)
        #expect(order != HappyEyeballsStateMachine.interleaved(found, isIPv6: \.isIPv6))
    }

    @Test func describesFourRefusedAddresses() throws {
        let found = (1...6).map { IPAddress.v4(10, 0, 0, $0) }
        let error = #expect(throws: ApusError.self) { try select(found) { $0.guard = .publicOnly } }
        #expect(error?.code == .addressRefused)
        #expect(error?.detail.hasSuffix("10.0.0.4 is a private address, and 2 more") == true)
    }

    @Test func keepsAllowedAddresses() throws {
        let found = [IPAddress.loopback, .v4(8, 8, 8, 8), .ipv6Loopback]
        #expect(try select(found) { $0.guard = .publicOnly } == [IPAddress.v4(8, 8, 8, 8)])
    }

    /// The fake network leads every attempt to 127.0.0.1.
    @Test func checksTheAddressOfTheConnection() async throws {
        let message = try RequestMessage("http://example.org/")
        let code = await ExchangeStage.run(
            message,
            at: [.v4(8, 8, 8, 8)],
            configuring: { $0.addresses.guard = .publicOnly },
            { stage in
                stage.serve()
                let attempt = try #require(stage.network.attempts.first)
                #expect(attempt.address == "8.8.8.8:80")
                try attempt.accept()
                stage.pass(.zero)
                #expect(attempt.isClosed)
                #expect(stage.exchange.isOver)
            }
        )
        #expect(code == .addressRefused)
    }

    @Test func dialsNoRefusedAddress() async throws {
        let message = try RequestMessage("http://example.org/")
        let code = await ExchangeStage.run(
            message,
            at: [.v4(10, 0, 0, 1), .v4(127, 0, 0, 1)],
            configuring: { $0.addresses.guard = .publicOnly },
            { stage in
                stage.serve()
                #expect(stage.network.attempts.isEmpty)
            }
        )
        #expect(code == .addressRefused)
    }

    @Test(arguments: ["192.0.2.7", "2001:db8::1", "fe80::1%7", "::"]) func convertsToSockets(text: String) throws {
        let address = try #require(IPAddress(text))
        let socket = try SocketAddress(address, port: 8443)
        #expect(socket.address == address)
        #expect(socket.port == 8443)
    }

    @Test func comparesRules() {
        var rules = AddressRules()
        #expect(NetworkRules.make(rules) == nil)
        rules.overrides["a.test"] = [.loopback]
        let one = NetworkRules.make(rules)
        let other = NetworkRules.make(rules)
        #expect(one != nil && one == other && one !== other)
        rules.family = .ipv6
        #expect(NetworkRules.make(rules) != one)
    }

    @Test func forgetsRotationsBeyondItsLimit() {
        let rotation = AddressRotation()
        for turn in 0..<3 { #expect(rotation.next(for: "a") == turn) }
        for number in 0..<999 { #expect(rotation.next(for: "\(number)") == 0) }
        #expect(rotation.next(for: "a") == 3)
        #expect(rotation.next(for: "b") == 0)
        #expect(rotation.next(for: "a") == 0)
    }
}
