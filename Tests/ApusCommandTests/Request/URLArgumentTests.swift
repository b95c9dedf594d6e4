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
        // No shorthand: an address without brackets is unchanged, and is rejected later.
        ("::1", "http://::1"),
        ("user:secret@example.org", "http://user:secret@example.org"),
        ("example.org/?to=http://other.org", "http://example.org/?to=http://other.org"),
        ("", "http://"),
        // One slash or backslashes, as browsers and curl read them: no host is named `http`.
        ("http:/ada:x@example.org/y", "http://ada:x@example.org/y"),
        (#"http:\\ada:x@example.org/y"#, "http://ada:x@example.org/y"),
        (#"HTTPS:\example.org"#, "HTTPS://example.org"),
        ("https:example.org/x", "https://example.org/x"),
        ("https:ada:x@example.org", "https://ada:x@example.org"),
        ("http:1234@example.org", "http://1234@example.org"),
        ("http:///example.org", "http://example.org"),
        ("http:", "http://"),
        ("http:/", "http://"),
        // A port after it makes it a host.
        ("http:8080/x", "http://http:8080/x"),
        ("http:8080", "http://http:8080"),
        ("httpd:/x", "http://httpd:/x"),
    ])
    func completesURLs(argument: String, url: String) {
        #expect(URLArgument.absolute(argument, defaultScheme: "http") == url)
    }

    @Test func appliesTheDefaultScheme() {
        #expect(URLArgument.absolute(":8443/x", defaultScheme: "https") == "https://localhost:8443/x")
        #expect(URLArgument.absolute("http://a", defaultScheme: "https") == "http://a")
        #expect(URLArgument.absolute("http:/a", defaultScheme: "https") == "http://a")
    }
}
