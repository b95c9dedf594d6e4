internal import Testing

@testable internal import ApusCore

@Suite struct OriginTests {
    @Test(arguments: [
        (Origin(scheme: .http, host: "h"), "h", "http://h"),
        (Origin(scheme: .http, host: "h", port: 80), "h", "http://h"),
        (Origin(scheme: .http, host: "h", port: 443), "h:443", "http://h:443"),
        (Origin(scheme: .https, host: "h"), "h", "https://h"),
        (Origin(scheme: .https, host: "h", port: 80), "h:80", "https://h:80"),
        (Origin(scheme: .https, host: "::1"), "[::1]", "https://[::1]"),
        (Origin(scheme: .https, host: "::1", port: 8443), "[::1]:8443", "https://[::1]:8443"),
    ])
    func namesItsAuthority(origin: Origin, authority: String, description: String) {
        #expect(origin.authority == authority)
        #expect(origin.description == description)
    }

    @Test func equalsTheOriginWithAnExplicitDefaultPort() throws {
        #expect(try TargetURI("http://H:80/a").origin == TargetURI("HTTP://h/b?c").origin)
        #expect(try TargetURI("https://h:443/").origin == Origin(scheme: .https, host: "h"))
    }

    @Test(arguments: ["https://h/", "http://h:81/", "http://i/", "http://h./", "http://www.h/"])
    func differsInSchemeHostOrPort(uri: String) throws {
        #expect(try TargetURI(uri).origin != TargetURI("http://h/").origin)
    }
}
