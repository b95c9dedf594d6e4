internal import ApusCore
internal import Testing

@Suite struct AddressRulesTests {
    @Test func prefersTheOverrideOfAPort() {
        var rules = AddressRules()
        rules.overrides = ["a.test": [.loopback], "a.test:81": .host("b.test", port: 82)]
        #expect(rules.destination(of: "a.test", port: 80) == .addresses([.loopback]))
        #expect(rules.destination(of: "a.test", port: 81) == .host("b.test", port: 82))
        #expect(rules.destination(of: "b.test", port: 80) == nil)
    }

    @Test func ignoresTheCaseOfHosts() {
        var rules = AddressRules()
        rules.overrides["API.Test:80"] = [.v4(192, 0, 2, 7)]
        #expect(rules.destination(of: "api.test", port: 80) == .addresses([.v4(192, 0, 2, 7)]))
    }

    @Test func readsIPv6HostsInBrackets() {
        var rules = AddressRules()
        rules.overrides["[::1]:80"] = [.v4(192, 0, 2, 7)]
        rules.overrides["::2"] = [.v4(192, 0, 2, 8)]
        #expect(rules.destination(of: "::1", port: 80) == .addresses([.v4(192, 0, 2, 7)]))
        #expect(rules.destination(of: "::1", port: 81) == nil)
        #expect(rules.destination(of: "::2", port: 81) == .addresses([.v4(192, 0, 2, 8)]))
    }

    @Test func areAnOption() {
        var rules = AddressRules()
        rules.family = .ipv6
        let options: RequestOptions = [rules]
        #expect(options[AddressRules.self] == rules)
        #expect(options.comparable != nil)
    }
}
