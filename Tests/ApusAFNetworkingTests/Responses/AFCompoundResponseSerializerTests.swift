internal import Apus
internal import ApusAFNetworking
internal import Foundation
internal import HTTPTypes
internal import Testing

@Suite struct AFCompoundResponseSerializerTests {
    private let serializer = AFCompoundResponseSerializer([
        AFJSONResponseSerializer(), AFXMLDocumentResponseSerializer(), AFPropertyListResponseSerializer(),
    ])

    /// Parity: AFN-response-compound
    @Test func takesTheFirstObject() throws {
        let json = serializer.answer(#"{"a": 1}"#, type: "application/json")
        #expect(json.object as? JSONValue == ["a": 1])
        #expect(json.error == nil)
        let xml = serializer.answer("<a/>", type: "text/xml")
        #expect((xml.object as? XMLTree)?.root.name.local == "a")
        #expect(xml.error == nil)
        let dictionary: PropertyListValue = ["a": 1]
        let list = serializer.answer(try dictionary.data(), type: "application/x-plist")
        #expect(list.object as? PropertyListValue == dictionary)
    }

    @Test func asksInOrder() {
        var first = AFJSONResponseSerializer()
        first.removesKeysWithNullValues = true
        let serializer = AFCompoundResponseSerializer([first, AFJSONResponseSerializer()])
        #expect(serializer.answer(#"{"a": null}"#, type: "text/json").object as? JSONValue == [:])
        #expect(serializer.responseSerializers.count == 2)
    }

    @Test func hasTheErrorBesideTheObject() {
        let answer = serializer.answer(#"{"a": 1}"#, status: .notFound, type: "application/json")
        #expect(answer.object as? JSONValue == ["a": 1])
        #expect(answer.error?.code == .unacceptableStatus)
        #expect(answer.error?.data == Data(#"{"a": 1}"#.utf8))
    }

    /// Parity: AFN-response-compound
    @Test func handsTheContentOverWhereNobodyHasAnObject() {
        for (text, type) in [("{", "application/json"), ("<html>", "text/html"), ("", "application/json")] {
            let answer = serializer.answer(text, type: type)
            #expect(answer.object as? Data == Data(text.utf8))
            #expect(answer.error == nil)
        }
        let refused = serializer.answer("<html>", status: .badGateway, type: "text/html")
        #expect(refused.object as? Data == Data("<html>".utf8))
        #expect(refused.error?.code == .unacceptableStatus)
        #expect(refused.error?.data == Data("<html>".utf8))
        #expect(AFCompoundResponseSerializer([]).answer("x").object as? Data == Data("x".utf8))
    }

    @Test func refusesByItsOwnRulesWhereNobodyHasAnObject() {
        var serializer = serializer
        serializer.acceptableContentTypes = ["text/plain"]
        serializer.acceptableStatusCodes = [200, 502]
        #expect(serializer.answer("x", status: .badGateway, type: "text/plain").error == nil)
        #expect(serializer.answer("x", type: "text/html").error?.code == .unacceptableContentType)
        // Not asked where there is an object.
        #expect(serializer.answer("{}", type: "application/json").error == nil)
    }

    @Test func canBePartOfAnother() {
        let outer = AFCompoundResponseSerializer([
            AFCompoundResponseSerializer([AFJSONResponseSerializer()]), AFXMLDocumentResponseSerializer(),
        ])
        #expect(outer.answer("{}", type: "application/json").object as? JSONValue == [:])
        // A compound always has an object: what stands behind it is never asked.
        #expect(outer.answer("<a/>", type: "text/xml").object as? Data == Data("<a/>".utf8))
    }
}
