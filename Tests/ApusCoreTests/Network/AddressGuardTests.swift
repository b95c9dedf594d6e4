internal import ApusCore
internal import Testing

@Suite struct AddressGuardTests {
    private let origin = Origin(scheme: .https, host: "example.org")

    @Test func describesARefusal() {
        let refusal = AddressGuard.publicOnly.refusal(of: .loopback, for: origin)
        #expect(refusal == "127.0.0.1 is a loopback address")
        #expect(AddressGuard.publicOnly.refusal(of: .v4(8, 8, 8, 8), for: origin) == nil)
        let server = AddressGuard.publicOnly.refusal(of: .v4(168, 63, 129, 16), for: origin)
        #expect(server == "168.63.129.16 is the wire server of Azure")
        let none = AddressGuard("nothing") { _, _ in false }
        let reason = none.refusal(of: .v4(10, 0, 0, 1), for: origin)
        #expect(reason == "the guard 'nothing' does not allow 10.0.0.1, which is a private address")
    }

    @Test func passesTheOrigin() {
        let guarded = AddressGuard("service") { address, origin in address.isPublic || origin.host == "service" }
        #expect(guarded.allows(.loopback, for: Origin(scheme: .http, host: "service")))
        #expect(!guarded.allows(.loopback, for: origin))
    }

    @Test func isComparedByIdentity() {
        let one = AddressGuard("all") { _, _ in true }
        let other = AddressGuard("all") { _, _ in true }
        let copy = one
        #expect(one == copy && one != other && one != .publicOnly)
        #expect(Set([one, copy, other, .publicOnly]).count == 3)
    }
}
