internal import Apus
internal import ApusAFNetworking
internal import ApusDocuments
internal import Foundation
internal import HTTPTypes
internal import Testing

@Suite struct AFPropertyListResponseSerializerTests {
    private static let list: PropertyListValue = ["a": [1, true, "x"], "b": .data(Data([1]))]

    /// Parity: AFN-response-plist
    @Test(
        arguments: [PropertyListFormat.xml, .binary],
        ["application/x-plist", "application/x-apple-plist; charset=utf-8"]
    )
    func parsesPropertyLists(format: PropertyListFormat, type: String) throws {
        let result = AFPropertyListResponseSerializer().serialize(try Self.list.data(format: format), type: type)
        #expect(result.object == Self.list)
        #expect(result.error == nil)
        let refused = AFPropertyListResponseSerializer()
            .serialize(try Self.list.data(format: format), status: .notFound, type: type)
        #expect(refused.object == Self.list)
        #expect(refused.error?.code == .unacceptableStatus)
    }

    /// Parity: AFN-response-plist
    @Test func acceptsConfiguredFormats() throws {
        let serializer = AFPropertyListResponseSerializer(formats: [.binary])
        let binary = try Self.list.data(format: .binary)
        #expect(serializer.serialize(binary, type: "application/x-plist").object == Self.list)
        let xml = try Self.list.data()
        #expect(serializer.serialize(xml, type: "application/x-plist").error?.code == .decodingFailed)
        let byDefault = AFPropertyListResponseSerializer().serialize("{a = b;}", type: "application/x-plist")
        #expect(byDefault.error?.code == .decodingFailed)
        #expect(byDefault.error?.data == Data("{a = b;}".utf8))
    }

    @Test func rejectsOtherContentTypesByDefault() throws {
        var serializer = AFPropertyListResponseSerializer()
        let xml = try Self.list.data()
        #expect(serializer.serialize(xml, type: "text/xml").error?.code == .unacceptableContentType)
        #expect(serializer.serialize(xml).error?.code == .missingContentType)
        serializer.acceptableContentTypes = nil
        #expect(serializer.serialize(xml).object == Self.list)
    }

    @Test func returnsNoObjectForAnEmptyBodyAndAppliesLimits() throws {
        let nothing = AFPropertyListResponseSerializer().serialize("")
        #expect(nothing.object == nil)
        #expect(nothing.error == nil)
        let limited = AFPropertyListResponseSerializer(limits: PropertyListLimits(maximumBytes: 8))
        let result = limited.serialize(try Self.list.data(), type: "application/x-plist")
        #expect(result.error?.code == .decodingFailed)
    }
}
