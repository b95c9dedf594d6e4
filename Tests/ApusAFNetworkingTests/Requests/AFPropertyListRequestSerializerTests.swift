internal import Apus
internal import ApusAFNetworking
internal import ApusDocuments
internal import Foundation
internal import HTTPTypes
internal import Testing

@Suite struct AFPropertyListRequestSerializerTests {
    private static let parameters: Parameters = [
        "text": "a < b", "truth": true, "whole": 3, "number": 1.0, "decimal": .decimal(Decimal(string: "1.5") ?? 0),
        "bytes": .data(Data([1, 2])), "moment": .date(Date(timeIntervalSince1970: 0)), "list": [1, ["k": "v"]],
        "set": .set(["b", "a"]),
    ]
    private static let list: PropertyListValue = [
        "text": "a < b", "truth": true, "whole": 3, "number": 1.0, "decimal": 1.5, "bytes": .data(Data([1, 2])),
        "moment": .date(Date(timeIntervalSince1970: 0)), "list": [1, ["k": "v"]], "set": ["a", "b"],
    ]

    private func request(
        _ parameters: Parameters?,
        _ method: HTTPRequest.Method = .post,
        format: PropertyListFormat = .xml
    ) throws -> RequestMessage {
        let serializer = AFPropertyListRequestSerializer(format: format)
        return try serializer.request(withMethod: method, urlString: "http://h/", parameters: parameters)
    }

    /// Parity: AFN-plist-request
    @Test(arguments: [PropertyListFormat.xml, .binary])
    func putsParametersIntoTheBody(format: PropertyListFormat) async throws {
        let request = try request(Self.parameters, format: format)
        let content = try await request.content
        #expect(PropertyListFormat(of: content) == format)
        #expect(try PropertyListValue(content) == Self.list)
        #expect(request.fields[values: .contentType] == ["application/x-plist"])
    }

    /// Parity: AFN-plist-request-array
    @Test(arguments: [PropertyListFormat.xml, .binary])
    func putsAnArrayIntoTheBody(format: PropertyListFormat) async throws {
        let serializer = AFPropertyListRequestSerializer(format: format)
        let list: AFParameters = ["a", ["k": 1], .set([2, 1])]
        let request = try serializer.request(withMethod: .post, urlString: "http://h/", parameters: list)
        #expect(try PropertyListValue(await request.content) == ["a", ["k": 1], [1, 2]])
        #expect(request.fields[.contentType] == "application/x-plist")
        let query = try serializer.request(withMethod: .get, urlString: "http://h/", parameters: list)
        #expect(query.target.path == "/?%5B%5D=a&%5B%5D%5Bk%5D=1&%5B%5D=1&%5B%5D=2")
    }

    @Test func canBeReadByFoundation() async throws {
        for format in [PropertyListFormat.xml, .binary] {
            let content = try await request(["a": [1, "x"], "d": .decimal(2)], format: format).content
            let list = try PropertyListSerialization.propertyList(from: content, format: nil) as? [String: Any]
            #expect((list?["a"] as? [Any])?.count == 2)
            #expect(list?["d"] as? Double == 2)
        }
    }

    /// Parity: AFN-plist-request
    @Test func isXMLByDefault() {
        #expect(AFPropertyListRequestSerializer().format == .xml)
    }

    @Test func hasNoBodyWithoutParameters() throws {
        let request = try request(nil)
        #expect(request.body.isNone)
        #expect(request.fields[.contentType] == nil)
        #expect(request.fields[.userAgent] != nil)
    }

    @Test func keepsAnExistingContentType() throws {
        var request = try RequestMessage("http://h/", method: .post)
        request.fields[.contentType] = "application/x-apple-plist"
        let serialized = try AFPropertyListRequestSerializer().request(bySerializing: request, withParameters: [:])
        #expect(serialized.fields[values: .contentType] == ["application/x-apple-plist"])
        #expect(!serialized.body.isNone)
    }

    /// Parity: AFN-plist-request-query
    @Test(arguments: [HTTPRequest.Method.get, .head, .delete])
    func fallsBackToTheQuery(method: HTTPRequest.Method) throws {
        let request = try request(["a": nil, "b": 1], method)
        #expect(request.target.path == "/?a&b=1")
        #expect(request.body.isNone)
    }

    @Test(
        arguments: [
            (["a": nil], "can't contain null"), (["a": ["b": [1, nil]]], "can't contain null"),
            (["a": .set([nil])], "can't contain null"),
            (["a": "\u{1}"], "character"), (["\u{0}": 1], "character"),
        ] as [(Parameters, String)]
    )
    func rejectsValuesThatXMLCannotContain(parameters: Parameters, reason: String) async throws {
        let error = try await refusal { try request(parameters) }
        #expect(error.code == .parameterEncodingFailed)
        #expect(error.detail.contains(reason), "\(error.detail)")
        #expect(error.method == .post)
    }

    /// Not a test argument, because such a date cannot be printed.
    @Test(arguments: [PropertyListFormat.xml, .binary])
    func rejectsAnInvalidDate(format: PropertyListFormat) async throws {
        let date = ParameterValue.date(Date(timeIntervalSinceReferenceDate: .nan))
        for value in [date, .set([1, date])] {
            #expect(try await refusal { try request(["a": value], format: format) }.code == .parameterEncodingFailed)
        }
    }

    @Test func rejectsTooDeepValues() async throws {
        let deep = (0..<300).reduce(ParameterValue.integer(1)) { value, _ in [value] }
        #expect(try await refusal { try request(["a": deep]) }.detail.contains("nested deeper"))
        #expect(try await refusal { try request(["a": .set([deep])]) }.code == .parameterEncodingFailed)
    }
}
