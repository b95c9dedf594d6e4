internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite struct MediaTypeTests {
    static let readable: [(String, String, String)] = [
        ("text/html", "text", "html"), ("TEXT/Html", "text", "html"), ("text/html; charset=utf-8", "text", "html"),
        (" text/html ;q=1", "text", "html"), ("*/*", "*", "*"), ("image/*", "image", "*"),
        ("application/vnd.api+json", "application", "vnd.api+json"), ("\ttext/html", "text", "html"),
    ]

    @Test(arguments: readable)
    func readsTypeAndSubtypeAndIgnoresParameters(text: String, type: String, subtype: String) throws {
        let media = try #require(MediaType(text))
        #expect(media.type == type)
        #expect(media.subtype == subtype)
    }

    /// Parity: AF-validate-type-malformed, AF-fault-single-token-type
    @Test(arguments: ["", " ", "text", "text/", "/html", "/", "text/html/x", "te xt/html", "text/h tml", ";", "text/ü"])
    func rejectsMalformedTypes(text: String) {
        #expect(MediaType(text) == nil)
    }

    static let coverage: [(String, String, Bool)] = [
        ("text/html", "text/html", true), ("text/html", "TEXT/HTML", true), ("text/html", "text/plain", false),
        ("text/*", "text/plain", true), ("text/*", "image/png", false), ("*/*", "image/png", true),
        ("*/html", "text/html", true), ("*/html", "text/plain", false), ("text/html", "text/*", false),
        ("text/html;level=1", "text/html", true),
    ]

    /// Parity: AF-validate-type-wildcard, AF-validate-type-case
    @Test(arguments: coverage)
    func acceptsTypesInItsRange(range: String, type: String, covers: Bool) throws {
        #expect(try #require(MediaType(range)).accepts(#require(MediaType(type))) == covers)
    }

    /// Parity: AF-validate-accept
    @Test func readsTheAcceptFieldsOfARequest() throws {
        #expect(MediaType.acceptable(by: [:]) == ["*/*"])
        let fields: HTTPFields = [.accept: "text/html;q=0.9, application/json"]
        #expect(MediaType.acceptable(by: fields).map(\.trimmed) == ["text/html;q=0.9", "application/json"])
        var twice = HTTPFields()
        twice.append(HTTPField(name: .accept, value: "text/html"))
        twice.append(HTTPField(name: .accept, value: "image/*"))
        #expect(MediaType.acceptable(by: twice).map(\.trimmed) == ["text/html", "image/*"])
    }

    static let verdicts: [(String?, [String], ApusError.Code?)] = [
        ("text/html", ["text/html"], nil),
        ("text/html; charset=utf-8", ["text/html"], nil),
        ("text/html", ["image/*", "text/*"], nil),
        ("text/html", ["application/json"], .unacceptableContentType),
        ("nonsense", ["text/html"], .unacceptableContentType),
        ("", ["text/html"], .unacceptableContentType),
        ("nonsense", ["*/*"], nil),
        (nil, ["*/*"], nil),
        (nil, ["text/html", "*/*;q=0.1"], nil),
        (nil, ["text/html"], .missingContentType),
        (nil, ["text/*"], .missingContentType),
        ("text/html", [], .unacceptableContentType),
        ("text/html", ["nonsense"], .unacceptableContentType),
    ]

    /// Parity: AF-validate-type-missing, AF-validate-type-malformed, AF-fault-single-token-type
    @Test(arguments: verdicts)
    func acceptsOrExplainsTheRejection(type: String?, acceptable: [String], code: ApusError.Code?) {
        let refusal = MediaType.refusal(of: type, acceptable: acceptable)
        #expect(refusal?.code == code)
        if let type, let refusal { #expect(refusal.detail.contains("'\(type)'")) }
        #expect(refusal?.acceptableContentTypes == (code == nil ? nil : acceptable.map(\.trimmed)))
    }

    @Test(arguments: [("", ""), (" ", ""), (" a ", "a"), ("\ta\t", "a"), ("a b", "a b"), ("\na", "\na")])
    func trimsSpacesAndTabs(text: String, trimmed: String) {
        #expect(text.trimmed == trimmed)
    }
}
