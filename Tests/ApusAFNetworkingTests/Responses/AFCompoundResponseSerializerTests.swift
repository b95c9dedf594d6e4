internal import Apus
internal import ApusAFNetworking
internal import ApusDocuments
internal import Foundation
internal import HTTPTypes
internal import Testing

@Suite struct AFCompoundResponseSerializerTests {
    private let serializer = AFCompoundResponseSerializer([
        AFJSONResponseSerializer(), AFXMLDocumentResponseSerializer(), AFPropertyListResponseSerializer(),
    ])

    /// Parity: AFN-response-compound
    @Test func returnsTheFirstObject() throws {
        let json = serializer.serialize(#"{"a": 1}"#, type: "application/json")
        #expect(json.object as? JSONValue == ["a": 1])
        #expect(json.error == nil)
        let xml = serializer.serialize("<a/>", type: "text/xml")
        #expect((xml.object as? XMLTree)?.root.name.local == "a")
        #expect(xml.error == nil)
        let dictionary: PropertyListValue = ["a": 1]
        let list = serializer.serialize(try dictionary.data(), type: "application/x-plist")
        #expect(list.object as? PropertyListValue == dictionary)
    }

    @Test func callsSerializersInOrder() {
        var first = AFJSONResponseSerializer()
        first.removesKeysWithNullValues = true
        let serializer = AFCompoundResponseSerializer([first, AFJSONResponseSerializer()])
        #expect(serializer.serialize(#"{"a": null}"#, type: "text/json").object as? JSONValue == [:])
        #expect(serializer.responseSerializers.count == 2)
    }

    @Test func returnsTheErrorWithTheObject() {
        let result = serializer.serialize(#"{"a": 1}"#, status: .notFound, type: "application/json")
        #expect(result.object as? JSONValue == ["a": 1])
        #expect(result.error?.code == .unacceptableStatus)
        #expect(result.error?.data == Data(#"{"a": 1}"#.utf8))
    }

    /// Parity: AFN-response-compound
    @Test func returnsTheDataWithoutAnObject() {
        for (text, type) in [("{", "application/json"), ("<html>", "text/html"), ("", "application/json")] {
            let result = serializer.serialize(text, type: type)
            #expect(result.object as? Data == Data(text.utf8))
            #expect(result.error == nil)
        }
        let refused = serializer.serialize("<html>", status: .badGateway, type: "text/html")
        #expect(refused.object as? Data == Data("<html>".utf8))
        #expect(refused.error?.code == .unacceptableStatus)
        #expect(refused.error?.data == Data("<html>".utf8))
        #expect(AFCompoundResponseSerializer([]).serialize("x").object as? Data == Data("x".utf8))
    }

    @Test func appliesItsOwnRulesWithoutAnObject() {
        var serializer = serializer
        serializer.acceptableContentTypes = ["text/plain"]
        serializer.acceptableStatusCodes = [200, 502]
        #expect(serializer.serialize("x", status: .badGateway, type: "text/plain").error == nil)
        #expect(serializer.serialize("x", type: "text/html").error?.code == .unacceptableContentType)
        // These rules do not apply to an object.
        #expect(serializer.serialize("{}", type: "application/json").error == nil)
    }

    @Test func canBePartOfAnother() {
        let outer = AFCompoundResponseSerializer([
            AFCompoundResponseSerializer([AFJSONResponseSerializer()]), AFXMLDocumentResponseSerializer(),
        ])
        #expect(outer.serialize("{}", type: "application/json").object as? JSONValue == [:])
        // A compound always returns an object, so later serializers are never called.
        #expect(outer.serialize("<a/>", type: "text/xml").object as? Data == Data("<a/>".utf8))
    }
}
