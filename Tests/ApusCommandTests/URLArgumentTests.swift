import Testing

@testable import ApusCommand

@Suite struct URLArgumentTests {
    @Test(arguments: [
        ("example.org", "http://example.org"),
        ("example.org:81/x?y=z", "http://example.org:81/x?y=z"),
        ("localhost:8080/x", "http://localhost:8080/x"),
        ("http://example.org/", "http://example.org/"),
        ("HTTPS://example.org/", "HTTPS://example.org/"),
        ("ftp://example.org/", "ftp://example.org/"),
        ("://example.org/x", "http://example.org/x"),
        ("//example.org/x", "http://example.org/x"),
        (" ://example.org/x ", "http://example.org/x"),
        (":8080/x", "http://localhost:8080/x"),
        (":8080", "http://localhost:8080"),
        (":8080?a=b", "http://localhost:8080?a=b"),
        (":/x", "http://localhost/x"),
        (":", "http://localhost"),
        ("[::1]:8080/x", "http://[::1]:8080/x"),
        // No shorthand: an address without its brackets stays what it is, and is refused later.
        ("::1", "http://::1"),
        ("user:secret@example.org", "http://user:secret@example.org"),
        ("example.org/?to=http://other.org", "http://example.org/?to=http://other.org"),
        ("", "http://"),
    ])
    func completesWhatWasTyped(argument: String, url: String) {
        #expect(URLArgument.absolute(argument, defaultScheme: "http") == url)
    }

    @Test func takesTheDefaultScheme() {
        #expect(URLArgument.absolute(":8443/x", defaultScheme: "https") == "https://localhost:8443/x")
        #expect(URLArgument.absolute("http://a", defaultScheme: "https") == "http://a")
    }
}
