internal import Apus
internal import ApusDocuments
internal import ApusTesting
internal import Foundation
internal import Testing

/// The code of the comments on XML, property lists and templates.
@Suite(.timeLimit(.minutes(5)))
struct StructuredContentSamples {
    private static let feed = "<rss><channel><item id='7' title='one'><title>One</title></item></channel></rss>"

    private func session(answering content: String) -> Session {
        Session(transport: MockTransport { _ in MockResponse(body: content) })
    }

    @Test func trees() async throws {
        let session = session(answering: Self.feed)
        let feed = try await session.get("https://api.example.org/feed").validate().xml()
        for item in feed.root.elements(at: "channel/item") {
            print(item["title"]?.text ?? "untitled", item.attribute("id") ?? "")
        }
        #expect(feed.root.element(at: "channel/item")?.attribute("id") == "7")
    }

    @Test func events() async throws {
        let data = Data(Self.feed.utf8)
        var events = try XMLEventParser(data)
        var titles: [String] = []
        while let event = try events.next() {
            if case .text(let text) = event { titles.append(text) }
        }
        #expect(titles == ["One"])
    }

    @Test func eventsOfAResponse() async throws {
        let session = session(answering: Self.feed)
        let titles = XMLEventResponseSerializer(into: [String]()) { titles, event in
            if case .startElement(let name, let attributes) = event, name.local == "item" {
                titles += attributes.filter { $0.name == "title" }.map(\.value)
            }
        }
        print(try await session.request("https://api.example.org/feed").serializingResponse(using: titles).value)
        let response = session.request("https://api.example.org/feed").serializingResponse(using: titles)
        #expect(try await response.value == ["one"])
    }

    @Test func propertyLists() async throws {
        struct Settings: Decodable { let name: String }
        let session = session(answering: "<plist><dict><key>name</key><string>Ada</string></dict></plist>")
        let settings = try await session.get("https://api.example.org/settings.plist").validate().propertyList()
        print(settings["name"]?.string ?? "unnamed", settings["ports"]?[0]?.integer ?? 0)
        #expect(settings["name"] == "Ada")
        let url = "https://api.example.org/settings.plist"
        let decoded: Settings = try await {
            let settings = try await session.get(url).decode(Settings.self, decoder: CheckedPropertyListDecoder())
            return settings
        }()
        #expect(decoded.name == "Ada")
    }

    @Test func templates() async throws {
        let session = session(answering: "")
        let post = URLTemplate("https://api.example.org/users/{id}/posts/{slug}")
        let response = try await session.get(post.filled(["id": 7, "slug": "a/b?c"]))
        #expect(response.target.path == "/users/7/posts/a%2Fb%3Fc")
    }
}
