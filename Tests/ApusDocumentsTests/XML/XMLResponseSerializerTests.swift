internal import Apus
internal import ApusDocuments
internal import ApusTestSupport
internal import ApusTesting
internal import Dispatch
internal import Foundation
internal import Testing

@Suite(.timeLimit(.minutes(5)))
struct XMLResponseSerializerTests {
    private let feed = Data("<feed><item title='one'/><item title='two'/></feed>".utf8)
    private let url = "https://api.example.org/feed"

    @Test func parsesAResponseAsATree() async throws {
        let session = session(respondingWith: feed, contentType: "application/xml")
        let tree = try await session.request(url).validate().serializingXML().value
        #expect(tree.root.elements(named: "item").count == 2)
        #expect(try await session.get(url).validate().xml() == tree)
        let response = await withCheckedContinuation { continuation in
            session.request(url).responseXML(queue: DispatchQueue(label: "xml")) { continuation.resume(returning: $0) }
        }
        #expect(response.value == tree)
    }

    @Test func usesTheCharsetOfTheResponse() async throws {
        let latin = Data("<a>".utf8) + [0xFC] + Data("</a>".utf8)
        let session = session(respondingWith: latin, contentType: "text/xml; charset=\"iso-8859-1\"")
        #expect(try await session.get(url).xml().root.text == "ü")
        let text = XMLEventResponseSerializer(into: "") { text, event in
            if case .text(let piece) = event { text += piece }
        }
        #expect(try await session.request(url).serializingResponse(using: text).value == "ü")
    }

    @Test func rejectsAnUnknownCharset() async throws {
        let session = session(respondingWith: Data("<a>x</a>".utf8), contentType: "text/xml; charset=klingon")
        let error = await #expect(throws: ApusError.self) { try await session.get(url).xml() }
        #expect(error?.code == .decodingFailed && error?.detail.contains("'klingon'") == true)
        let text = XMLEventResponseSerializer(into: "") { text, event in
            if case .text(let piece) = event { text += piece }
        }
        let task = await session.request(url).serializingResponse(using: text).response
        #expect(task.error?.code == .decodingFailed)
    }

    @Test func reportsTheErrorAndTheResponse() async throws {
        let session = session(respondingWith: Data("<feed>\n<item></feed>".utf8))
        let error = await #expect(throws: ApusError.self) { try await session.get(url).xml() }
        #expect(error?.code == .decodingFailed)
        #expect(error?.url == url)
        #expect(error?.response?.status == .ok)
        #expect(error?.data?.count == 20)
        #expect(
            error?.description == "GET \(url) could not read the body: the XML is not well-formed at "
                + "line 2, column 7: the element 'item' is closed by an end tag of 'feed'"
        )
        let task = await session.request(url).serializingXML().response
        #expect(task.error?.description == error?.description)
    }

    @Test func enforcesItsLimits() async throws {
        let session = session(respondingWith: feed)
        let limits = XMLLimits(maximumNodes: 2)
        #expect(await session.request(url).serializingXML(limits: limits).response.error?.code == .decodingFailed)
        let error = await #expect(throws: ApusError.self) { try await session.get(url).xml(limits: limits) }
        #expect(try #require(error).detail.contains("XMLLimits.maximumNodes"))
    }

    // MARK: Empty bodies

    @Test(arguments: [HTTPResponse.Status.ok, .noContent])
    func rejectsAnEmptyBody(status: HTTPResponse.Status) async {
        let session = session(respondingWith: Data(), status: status)
        #expect(await session.request(url).serializingXML().response.error?.code == .emptyBody)
        let error = await #expect(throws: ApusError.self) { try await session.get(url).xml() }
        #expect(error?.code == .emptyBody)
    }

    @Test func returnsTheEmptyValueForAnEmptyBody() async throws {
        let empty = XMLTree(root: XMLTree.Element("nothing"))
        let serializer = XMLResponseSerializer(emptyValue: empty, emptyResponseCodes: [200])
        let session = session(respondingWith: Data())
        #expect(try await session.request(url).serializingResponse(using: serializer).value == empty)
        let titles = XMLEventResponseSerializer(into: ["none"], emptyResponseCodes: [200]) { _, _ in }
        #expect(try await session.request(url).serializingResponse(using: titles).value == ["none"])
        let strict = XMLEventResponseSerializer(into: ["none"]) { _, _ in }
        let response = await session.request(url).serializingResponse(using: strict).response
        #expect(response.error?.code == .emptyBody)
    }

    // MARK: Events

    @Test func collectsValuesFromEvents() async throws {
        let titles = XMLEventResponseSerializer(into: [String]()) { titles, event in
            if case .startElement("item", let attributes) = event { titles += attributes.map(\.value) }
        }
        let session = session(respondingWith: feed)
        #expect(try await session.request(url).serializingResponse(using: titles).value == ["one", "two"])
    }

    @Test func stopsWhenTheReaderReturns() async throws {
        let first = XMLEventResponseSerializer(readingInto: "") { title, events in
            while let event = try events.next() {
                guard case .startElement("item", let attributes) = event else { continue }
                title = attributes.first?.value ?? ""
                return
            }
        }
        // The text after the first item is not XML.
        let session = session(respondingWith: feed.prefix(26) + Data(" & what".utf8))
        #expect(try await session.request(url).serializingResponse(using: first).value == "one")
    }

    @Test func reportsErrorsOfTheReader() async throws {
        struct Enough: Error {}
        let serializer = XMLEventResponseSerializer(into: 0) { _, _ in throw Enough() }
        let wellFormed = session(respondingWith: feed)
        let error = await wellFormed.request(url).serializingResponse(using: serializer).response.error
        #expect(error?.code == .serializerFailed)
        #expect(error?.underlying is Enough)
        let malformed = session(respondingWith: Data("<a".utf8))
        #expect(
            await malformed.request(url).serializingResponse(using: serializer).response.error?.code == .decodingFailed
        )
    }
}
