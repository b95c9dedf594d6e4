internal import Apus
internal import Testing

/// The code of the page on the security model.
@Suite struct SecurityModelSamples {
    @Test func urlsOfUsers() {
        var configuration = Session.Configuration()
        configuration.addresses.guard = .publicOnly
        configuration.proxy = .none
        configuration.cookies = .off
        configuration.redirects = .follow(limit: 5, crossOriginFields: .safelist)
        configuration.limits.collectedBodyBytes = 10 << 20
        configuration.timeouts.request = .seconds(30)
        #expect(configuration.addresses.guard == .publicOnly)
    }
}
