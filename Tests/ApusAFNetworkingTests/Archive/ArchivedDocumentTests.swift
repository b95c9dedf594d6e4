internal import Apus
internal import ApusDocuments
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusAFNetworking

/// The archives of serializers and policies by themselves.
@Suite struct ArchivedDocumentTests {
    private static func encoded(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }

    /// Encodes a value, decodes it, and encodes the result. Returns the result if both archives are the same.
    private static func roundTrip<Value: Codable>(_ value: Value) throws -> Value {
        let data = try encoded(value)
        let copy = try JSONDecoder().decode(Value.self, from: data)
        #expect(try encoded(copy) == data)
        return copy
    }

    private static func failure<Value: Decodable>(of type: Value.Type, in data: Data) -> ApusError? {
        #expect(throws: ApusError.self) { try JSONDecoder().decode(type, from: data) }
    }

    /// Parity: AFN-coding-serializers
    @Test func keepsRequestSerializers() throws {
        var form = AFHTTPRequestSerializer()
        try form.setAuthorizationHeaderField(withUsername: "ada", password: "secret")
        form.httpMethodsEncodingParametersInURI = [.get]
        form.stringEncoding = .windowsCP1252
        form.timeoutInterval = .seconds(3)
        form.httpShouldHandleCookies = true
        let copy = try Self.roundTrip(form)
        #expect(copy.httpRequestHeaders == form.httpRequestHeaders)
        #expect(copy.httpMethodsEncodingParametersInURI == [.get])
        #expect(copy.stringEncoding == .windowsCP1252)
        #expect(copy.timeoutInterval == .seconds(3))
        #expect(copy.httpShouldHandleCookies == true)
        #expect(try Self.roundTrip(AFJSONRequestSerializer(writingOptions: .sortedKeys)).writingOptions == .sortedKeys)
        #expect(try Self.roundTrip(AFPropertyListRequestSerializer(format: .binary)).format == .binary)
    }

    /// Parity: AFN-coding-serializers
    @Test func keepsResponseSerializers() throws {
        let data = AFHTTPResponseSerializer(acceptableStatusCodes: nil, acceptableContentTypes: ["image/*"])
        #expect(try Self.roundTrip(data).acceptableStatusCodes == nil)
        #expect(try Self.roundTrip(data).acceptableContentTypes == ["image/*"])
        var json = AFJSONResponseSerializer(readingOptions: .fragmentsAllowed)
        json.removesKeysWithNullValues = true
        #expect(try Self.roundTrip(json).removesKeysWithNullValues)
        #expect(try Self.roundTrip(json).readingOptions == .fragmentsAllowed)
        _ = try Self.roundTrip(AFXMLParserResponseSerializer(limits: XMLLimits(maximumDepth: 3)))
        _ = try Self.roundTrip(AFXMLDocumentResponseSerializer(limits: XMLLimits(maximumNodes: 4)))
        #expect(try Self.roundTrip(AFPropertyListResponseSerializer(formats: [.binary])).formats == [.binary])
        let compound = AFCompoundResponseSerializer([json, AFCompoundResponseSerializer([data])])
        #expect(try Self.roundTrip(compound).responseSerializers.count == 2)
    }

    /// Parity: AFN-coding-policy
    @Test func keepsPolicies() throws {
        var policy = AFSecurityPolicy(pinningMode: .certificate, pinnedCertificates: [Data([2]), Data([1])])
        policy.allowInvalidCertificates = true
        policy.validatesDomainName = false
        #expect(try Self.roundTrip(policy) == policy)
        #expect(try Self.roundTrip(AFSecurityPolicy.default) == .default)
    }

    /// AFNetworking's archives name the class, so that an object of another one is noticed.
    /// Parity: AFN-coding-serializers
    @Test func rejectsArchivesOfOtherTypes() throws {
        let json = try Self.encoded(AFJSONRequestSerializer())
        let other = try #require(Self.failure(of: AFHTTPRequestSerializer.self, in: json))
        #expect(other.code == .invalidConfiguration)
        #expect(other.detail.contains("AFHTTPRequestSerializer"))
        #expect(Self.failure(of: AFJSONResponseSerializer.self, in: json)?.code == .invalidConfiguration)
        #expect(Self.failure(of: AFSecurityPolicy.self, in: json)?.code == .invalidConfiguration)
        #expect(Self.failure(of: HTTPSessionManager.Archive.self, in: json)?.code == .invalidConfiguration)
        let data = try Self.encoded(AFHTTPResponseSerializer())
        #expect(Self.failure(of: AFCompoundResponseSerializer.self, in: data)?.code == .invalidConfiguration)
    }

    @Test func rejectsOtherVersionsAndChangedContents() throws {
        let text = String(decoding: try Self.encoded(AFSecurityPolicy.default), as: UTF8.self)
        let changes = [
            (#""version":1"#, #""version":2"#, "version 2"), ("Invalid", "invalid", "checksum"),
            (#""format":"#, #""form":"#, "not a complete archive"), ("policy", "police", "not an archive"),
        ]
        for (part, other, reason) in changes {
            #expect(text.contains(part))
            let error = Self.failure(of: AFSecurityPolicy.self, in: Data(text.replacing(part, with: other).utf8))
            #expect(error?.code == .invalidConfiguration)
            #expect(error?.detail.contains(reason) == true, "\(error?.detail ?? "")")
        }
    }

    @Test func archivesNoCode() {
        var serializer = AFHTTPRequestSerializer()
        serializer.queryStringSerialization = { _, _ in "" }
        #expect(throws: ApusError.self) { try Self.encoded(serializer) }
        struct Mine: AFURLResponseSerialization {
            func responseObject(for response: HTTPResponse, data: Data) -> AFSerializedResponse<Data> {
                AFSerializedResponse(data)
            }
        }
        #expect(throws: ApusError.self) { try Self.encoded(AFCompoundResponseSerializer([Mine()])) }
    }
}
