internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct WebLinkTests {
    private func links(_ values: String...) throws -> [WebLink] {
        var fields: HTTPFields = [:]
        for value in values { fields.append(HTTPField(name: .link, value: value)) }
        return fields.links(relativeTo: try TargetURI("https://user:pass@h/a/b?c"))
    }

    @Test func resolvesTargets() throws {
        let links = try links("<../x?y>, </z>, <//i/>, <?page=2>, <>", "<http://j:81/k#l>")
        let expected = [
            "https://h/x?y", "https://h/z", "https://i/", "https://h/a/b?page=2", "https://h/a/b?c", "http://j:81/k",
        ]
        #expect(links.map { $0.target?.uri } == expected)
        #expect(links.map(\.reference).last == "http://j:81/k#l")
        #expect(links.allSatisfy { $0.target?.userInformation == nil })
    }

    @Test(arguments: ["mailto:a@b", "ftp://h/", "http://", "http://h:x/", "javascript:1", "http://h/\u{0}"])
    func hasNoTargetThatCannotBeRequested(reference: String) throws {
        let parsed = LinkParser.Link(reference: Array(reference.utf8)[...], parameters: [])
        let link = WebLink(parsed, relativeTo: try TargetURI("https://h/"))
        #expect(link.target == nil)
        #expect(link.reference == reference)
    }

    @Test func hasRelationsInLowercase() throws {
        let link = try #require(try links("<a>; rel=\"Next  start\tHTTP://h/Rel\"").first)
        #expect(link.relations == ["next", "start", "http://h/rel"])
        #expect(link.has(relation: "NEXT"))
        #expect(link.has(relation: "http://H/rel"))
        #expect(!link.has(relation: "nex"))
        #expect(try links("<a>").first?.relations == [])
    }

    @Test func hasTheParametersOfRFC8288() throws {
        let value =
            #"<a>; rel=next; anchor="/b"; title="c, d"; type="text/html"; hreflang=de; hreflang=en; media=print; x"#
        let link = try #require(try links(value).first)
        #expect(link.anchor == "/b")
        #expect(link.title == "c, d")
        #expect(link.type == "text/html")
        #expect(link.languages == ["de", "en"])
        #expect(link.attributes.map(\.name) == ["media", "x"])
        #expect(link.attributes.map(\.value) == ["print", ""])
    }

    @Test func ignoresRepeatedParameters() throws {
        let link = try #require(try links("<a>; rel=next; rel=prev; type=a; type=b; title=c; title=d").first)
        #expect(link.relations == ["next"])
        #expect(link.type == "a")
        #expect(link.title == "c")
        #expect(link.attributes == [])
    }

    private static let titles = [
        ("title*=UTF-8'de'n%c3%a4chstes%20Kapitel; title=x", "nächstes Kapitel"),
        ("title=x; title*=utf-8''%e2%82%ac", "€"), ("title*=iso-8859-1'en'%A3%20rates", "£ rates"),
        ("title*=koi8-r''%c1; title=x", "x"), ("title*=nonsense; title=x", "x"), ("title*=utf-8''%zz", "%zz"),
    ]

    @Test(arguments: titles) func decodesExtendedTitles(parameters: String, title: String) throws {
        #expect(try links("<a>; \(parameters)").first?.title == title)
    }

    @Test func limitsTheirNumber() throws {
        let fields: HTTPFields = [.link: String(repeating: "<a>,", count: 1000)]
        let target = try TargetURI("https://h/")
        #expect(fields.links(relativeTo: target).count == WebLink.defaultMaximumCount)
        #expect(fields.links(relativeTo: target, maximumCount: 2).count == 2)
        #expect(fields.links(relativeTo: target, maximumCount: -1) == [])
        #expect(fields.links(relativeTo: target, maximumCount: .max).count == 1000)
    }

    @Test func showsNoSecrets() throws {
        let link = try #require(try links("<https://a:sesame@h/b?token=sesame>; rel=next").first)
        #expect("\(link)" == "<https://h/b?token=…>; rel=\"next\"")
        #expect(!String(reflecting: link).contains("sesame"))
    }

    // MARK: Responses

    private func test() -> TestSession {
        TestSession { request in
            guard request.target.path != "/old" else {
                return MockResponse(status: .found, fields: [.location: "http://i/new/"])
            }
            return MockResponse(fields: [.link: "<2>; rel=next"])
        }
    }

    @Test func belongsToTheTargetAfterRedirects() async throws {
        let test = test()
        let response = try await test.get("http://h/old")
        #expect(response.links.map { $0.target?.uri } == ["http://i/new/2"])
        let streamed = try await test.session.stream("http://h/old")
        #expect(streamed.links.map { $0.target?.uri } == ["http://i/new/2"])
        streamed.body.discard()
        let data = await test.session.request("http://h/old").serializingData(emptyResponseCodes: [200]).response
        #expect(data.links.map { $0.target?.uri } == ["http://i/new/2"])
        try await assertNothingLeft(test.session)
    }

    @Test func isThereInARejectedResponse() async throws {
        let test = TestSession { _ in MockResponse(status: .notFound, fields: [.link: "</help>; rel=help"]) }
        let response = await test.session.request("http://h/a").validate().serializingData().response
        #expect(response.error?.code == .unacceptableStatus)
        #expect(response.links.map { $0.target?.uri } == ["http://h/help"])
    }

    @Test func isMissingWithoutAResponse() async throws {
        let test = TestSession { _ in throw ApusError(.connectFailed, "down") }
        #expect(await test.session.request("http://h/a").serializingData().response.links == [])
        #expect(await test.session.request("no URL").serializingData().response.links == [])
    }
}
