internal import Apus
internal import ApusAFNetworking
internal import ApusDocuments
internal import Foundation
internal import HTTPTypes
internal import Testing

@Suite struct AFXMLResponseSerializersTests {
    private static let text = #"<feed><entry id="1">é &amp; ö</entry></feed>"#

    private func events(of parser: XMLEventParser?) throws -> [XMLEvent] {
        var parser = try #require(parser)
        var events: [XMLEvent] = []
        try parser.parse { events.append($0) }
        return events
    }

    /// Parity: AFN-response-xml-parser, AFN-response-xml-document
    @Test(arguments: ["application/xml", "text/xml; charset=utf-8", "application/atom+xml"])
    func parseXML(type: String) throws {
        let document = AFXMLDocumentResponseSerializer().serialize(Self.text, type: type)
        #expect(document.object?["entry"]?.text == "é & ö")
        #expect(document.object?["entry"]?.attribute("id") == "1")
        #expect(document.error == nil)
        let parser = AFXMLParserResponseSerializer().serialize(Self.text, type: type)
        #expect(try !events(of: parser.object).isEmpty)
        #expect(parser.error == nil)
    }

    @Test func readTheDeclaredEncoding() throws {
        let latin = Data([UInt8](#"<a>"#.utf8) + [0xE9] + [UInt8]("</a>".utf8))
        let type = "text/xml; charset=ISO-8859-1"
        #expect(AFXMLDocumentResponseSerializer().serialize(latin, type: type).object?.root.text == "é")
        #expect(try !events(of: AFXMLParserResponseSerializer().serialize(latin, type: type).object).isEmpty)
        let unstated = AFXMLDocumentResponseSerializer().serialize(latin, type: "text/xml")
        #expect(unstated.error?.code == .decodingFailed)
        #expect(unstated.error?.data == latin)
    }

    @Test func returnNoObjectForAnEmptyBody() {
        let document = AFXMLDocumentResponseSerializer().serialize("")
        #expect(document.object == nil)
        #expect(document.error == nil)
        let parser = AFXMLParserResponseSerializer().serialize("")
        #expect(parser.object == nil)
        #expect(parser.error == nil)
    }

    @Test func rejectTypesAndStatuses() {
        for type in ["text/html", "application/json", nil] {
            #expect(AFXMLDocumentResponseSerializer().serialize(Self.text, type: type).object == nil)
            #expect(AFXMLParserResponseSerializer().serialize(Self.text, type: type).object == nil)
        }
        let refused = AFXMLDocumentResponseSerializer().serialize(Self.text, status: .notFound, type: "text/xml")
        #expect(refused.object?.root.name.local == "feed")
        #expect(refused.error?.code == .unacceptableStatus)
        let parser = AFXMLParserResponseSerializer().serialize(Self.text, status: .notFound, type: "text/xml")
        #expect(parser.object != nil)
        #expect(parser.error?.code == .unacceptableStatus)
        var tolerant = AFXMLDocumentResponseSerializer()
        tolerant.acceptableContentTypes?.insert("text/html")
        #expect(tolerant.serialize(Self.text, type: "text/html").object != nil)
    }

    @Test(arguments: [
        "<a>", "<a></b>", "no XML", #"<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>"#, "<a/><b/>",
    ])
    func rejectInvalidXML(text: String) throws {
        let document = AFXMLDocumentResponseSerializer().serialize(text, type: "text/xml")
        #expect(document.object == nil)
        #expect(document.error?.code == .decodingFailed)
        #expect(document.error?.data == Data(text.utf8))
        // The parser throws the error while parsing.
        let parser = AFXMLParserResponseSerializer().serialize(text, type: "text/xml")
        let error = #expect(throws: ApusError.self) { try events(of: parser.object) }
        #expect(error?.code == .decodingFailed)
    }

    @Test func applyTheirLimits() {
        let limits = XMLLimits(maximumBytes: 10)
        let document = AFXMLDocumentResponseSerializer(limits: limits).serialize(Self.text, type: "text/xml")
        #expect(document.error?.code == .decodingFailed)
        let parser = AFXMLParserResponseSerializer(limits: limits).serialize(Self.text, type: "text/xml")
        #expect(parser.error?.code == .decodingFailed)
        #expect(parser.error?.data == Data(Self.text.utf8))
    }
}
