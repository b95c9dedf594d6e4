internal import Apus
internal import ApusParameters
internal import ApusTesting
internal import Foundation
internal import Testing

@Suite struct URLTemplateTests {
    private func uri(_ pattern: String, _ values: URLTemplate.Values) throws -> String {
        try URLTemplate(pattern).filled(values).asTarget().uri
    }

    private func failure(_ pattern: String, _ values: URLTemplate.Values) throws -> ApusError {
        let error = #expect(throws: ApusError.self, "\(pattern) \(values)") { try uri(pattern, values) }
        return try #require(error)
    }

    @Test func replacesNamesWithValues() throws {
        let template = URLTemplate("https://api.example.org/users/{id}/posts/{slug}.json?page={page}&to={id}")
        #expect(template.names == ["id", "slug", "page"])
        let target = try template.filled(["id": 7, "slug": "hello", "page": 2.5]).asTarget()
        #expect(target.uri == "https://api.example.org/users/7/posts/hello.json?page=2.5&to=7")
        let others = template.filled(["id": true, "slug": Character("x"), "page": Substring("y")])
        #expect(try others.asURL().absoluteString == "https://api.example.org/users/true/posts/x.json?page=y&to=true")
    }

    /// Delimiters and percent signs in values are escaped.
    @Test(arguments: [
        ("a/b", "a%2Fb"), ("../etc", "..%2Fetc"), ("a?b", "a%3Fb"), ("a#b", "a%23b"), ("a%2Fb", "a%252Fb"),
        ("%", "%25"),
        ("\u{0}", "%00"), ("a\r\nb", "a%0D%0Ab"), ("a\\b", "a%5Cb"), ("a b", "a%20b"), ("a+b", "a%2Bb"),
        ("ü", "%C3%BC"),
        ("😀", "%F0%9F%98%80"), ("a:b@c", "a%3Ab%40c"), (";x=1", "%3Bx%3D1"), ("&a=b", "%26a%3Db"), ("...", "..."),
        (".a", ".a"), ("a.", "a."), ("~-._", "~-._"), ("{id}", "%7Bid%7D"), ("%2e%2e", "%252e%252e"), ("..;", "..%3B"),
    ])
    func escapesValuesWithinTheirComponent(value: String, encoded: String) throws {
        #expect(try uri("http://h/a/{x}/b", ["x": value]) == "http://h/a/\(encoded)/b")
        #expect(try uri("http://h/a?b={x}&c=d", ["x": value]) == "http://h/a?b=\(encoded)&c=d")
        #expect(try TargetURI(uri("http://h/a/{x}/b", ["x": value])).resolving("../c").uri == "http://h/a/c")
    }

    @Test(arguments: [
        ("http://h/a/{x}/b", "."), ("http://h/a/{x}/b", ".."), ("http://h/a/{x}", ".."), ("http://h/{x}?q", "."),
        ("http://h/.{x}/b", "."), ("http://h/{x}./b", "."), ("http://h/%2e{x}/b", "."), ("http://h/{x}%2E", "."),
        ("http://h/{x}{x}/b", "."), ("http://h/a\\{x}\\b", ".."), ("/{x}", ".."), ("http://h/{x}#f", ".."),
    ])
    func rejectsDotSegments(pattern: String, value: String) throws {
        let error = try failure(pattern, ["x": value])
        #expect(error.code == .parameterEncodingFailed)
        #expect(error.detail.contains("for 'x', since that would change the path"))
    }

    @Test(arguments: ["http://h/{x}", "http://h/a/{x}/b", "http://h/{x}.json", "/{x}"])
    func rejectsAnEmptySegment(pattern: String) throws {
        let error = try failure(pattern, ["x": ""])
        #expect(error.code == .parameterEncodingFailed)
        #expect(error.detail == "the template needs a value for 'x' that is not empty")
    }

    @Test func acceptsEmptyValuesAndDotsInAQuery() throws {
        #expect(try uri("http://h/?a={x}", ["x": ""]) == "http://h/?a=")
        #expect(try uri("http://h/?a={x}/{x}", ["x": ".."]) == "http://h/?a=../..")
    }

    @Test func namesMissingAndUnknownValues() throws {
        let missing = try failure("http://h/{b}/{a}/{c}", ["c": 1])
        #expect(missing.code == .parameterEncodingFailed)
        #expect(missing.detail == "the template has no value for 'a', 'b'")
        #expect(missing.url == "http://h/{b}/{a}/{c}")
        let unknown = try failure("http://h/{a}", ["a": 1, "d": 2])
        #expect(unknown.detail == "the template has no 'd', for which a value was given")
    }

    @Test(arguments: [
        "http://h/{", "http://h/{a", "http://h/}", "http://h/a}", "http://h/{}", "http://h/{a b}", "http://h/{+a}",
        "http://h/{#a}", "http://h/{/a}", "http://h/{?a}", "http://h/{&a}", "http://h/{a*}", "http://h/{a:3}",
        "http://h/{a,b}", "http://h/{a.}", "http://h/{ä}", "http://h/{{a}}", "http://{a}/", "http://{a}", "{a}://h/",
        "http://h:{a}/", "http://{a}@h/", "http://h.{a}?b", "//{a}/", "http://h/#{a}", "{a}", "users/{a}", "",
        "http:/{a}", "http:{a}",
    ])
    func rejectsInvalidTemplates(pattern: String) throws {
        let error = try failure(pattern, ["a": 1])
        #expect(error.code == .invalidURL)
    }

    @Test func resolvesAgainstABase() throws {
        let template: URLTemplate = "/users/{id}"
        let filled = template.filled(["id": "a/b"], relativeTo: "https://api.example.org/v1/x?y")
        #expect(try filled.asTarget().uri == "https://api.example.org/users/a%2Fb")
        #expect(try filled.text() == "/users/a%2Fb")
        #expect(try failure("/users/{id}", ["id": 1]).code == .invalidURL)
        let whole = URLTemplate("http://h/{id}").filled(["id": 1], relativeTo: "https://other.example.org/")
        #expect(try whole.asTarget().uri == "http://h/1")
    }

    @Test func acceptsATemplateWithoutNames() throws {
        #expect(try uri("http://h/a/../b c?d#e", [:]) == "http://h/a/../b%20c?d")
        #expect("\(URLTemplate("http://h/{a}"))" == "http://h/{a}")
    }

    @Test func isConvertibleToARequest() async throws {
        let transport = MockTransport { request in MockResponse(body: request.target.uri) }
        let session = Session(transport: transport)
        let template = URLTemplate("https://api.example.org/users/{id}")
        #expect(try await session.get(template.filled(["id": "a/b"])).string() == "https://api.example.org/users/a%2Fb")
        let response = await session.request(template.filled(["id": ".."])).serializingString().response
        #expect(response.error?.code == .parameterEncodingFailed)
        #expect(transport.requests.count == 1)
    }
}
