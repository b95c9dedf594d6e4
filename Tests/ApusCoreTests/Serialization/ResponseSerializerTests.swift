internal import ApusJSON
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite struct ResponseSerializerTests {
    private struct User: Decodable, Equatable, Sendable { let name: String }

    private struct Nested: Decodable, Sendable {
        struct Item: Decodable, Sendable { let id: Int }
        let items: [Item]
    }

    private struct Nothing: EmptyResponse, Decodable, Equatable {
        static func emptyValue() -> Nothing { Nothing() }
    }

    private func request(_ method: HTTPRequest.Method = .get) throws -> RequestMessage {
        RequestMessage(method: method, target: try TargetURI("http://h/"))
    }

    private func serialize<Serializer: ResponseSerializer>(
        _ serializer: Serializer,
        _ body: String,
        status: Int = 200,
        method: HTTPRequest.Method = .get,
        type: String? = nil
    ) throws -> Serializer.SerializedObject {
        var head = HTTPResponse(status: .init(code: status))
        head.headerFields[.contentType] = type
        return try serializer.serialize(request: request(method), response: head, data: Data(body.utf8))
    }

    private func code(_ work: () throws -> some Any) -> ApusError.Code? {
        do {
            _ = try work()
            return nil
        } catch {
            return (error as? ApusError)?.code
        }
    }

    // MARK: Empty bodies

    static let empties: [(Int, HTTPRequest.Method, Bool)] = [
        (200, .get, false), (201, .post, false), (204, .get, true), (205, .get, true), (304, .get, false),
        (200, .head, true), (404, .head, true), (404, .get, false), (200, .options, false),
    ]

    /// Parity: AF-serializer-empty-codes, AF-serializer-empty-methods, AF-serializer-empty-error
    /// Parity: AF-error-serialization
    @Test(arguments: empties)
    func allowsAnEmptyBodyByStatusOrMethod(status: Int, method: HTTPRequest.Method, isAllowed: Bool) {
        let expected: ApusError.Code? = isAllowed ? nil : .emptyBody
        #expect(code { try serialize(DataResponseSerializer(), "", status: status, method: method) } == expected)
        #expect(code { try serialize(StringResponseSerializer(), "", status: status, method: method) } == expected)
        let decodable = DecodableResponseSerializer<Empty>()
        #expect(code { try serialize(decodable, "", status: status, method: method) } == expected)
    }

    /// Parity: AF-serializer-data, AF-serializer-decodable-empty
    @Test func returnsEmptyValuesForAnAllowedEmptyBody() throws {
        #expect(try serialize(DataResponseSerializer(), "", status: 204).isEmpty)
        #expect(try serialize(StringResponseSerializer(), "", status: 204) == "")
        #expect(try serialize(DecodableResponseSerializer<Nothing>(), "", status: 204) == Nothing())
        #expect(try serialize(DecodableResponseSerializer<Empty>(), "", status: 204) == Empty.value)
    }

    /// Parity: AF-serializer-decodable-empty
    @Test func needsAnEmptyTypeForAnEmptyBody() {
        #expect(code { try serialize(DecodableResponseSerializer<User>(), "", status: 204) } == .emptyBody)
    }

    /// Parity: AF-serializer-empty-codes, AF-serializer-empty-methods
    @Test func supportsCustomCodesAndMethods() {
        let serializer = DataResponseSerializer(emptyResponseCodes: [200], emptyRequestMethods: [.delete])
        #expect(code { try serialize(serializer, "") } == nil)
        #expect(code { try serialize(serializer, "", status: 204) } == .emptyBody)
        #expect(code { try serialize(serializer, "", status: 404, method: .delete) } == nil)
        #expect(code { try serialize(serializer, "", status: 404, method: .head) } == .emptyBody)
    }

    /// Parity: AF-serializer-data
    @Test func readsABodyWhereAnEmptyOneIsAllowed() throws {
        #expect(try serialize(DataResponseSerializer(), "x", status: 204) == Data("x".utf8))
        #expect(try serialize(DecodableResponseSerializer<User>(), #"{"name":"a"}"#, status: 204).name == "a")
    }

    // MARK: Strings

    static let encodings: [([UInt8], String?, String.Encoding?, String?)] = [
        (Array("é".utf8), nil, nil, "é"),
        (Array("é".utf8), "text/plain; charset=utf-8", nil, "é"),
        (Array("é".utf8), "text/plain; Charset=\"UTF-8\"", nil, "é"),
        ([0xE9], nil, nil, "é"),
        ([0xE9], "text/plain", nil, "é"),
        ([0xE9], "text/plain; charset=iso-8859-1", nil, "é"),
        ([0xE9], "text/plain; charset=utf-8", nil, nil),
        ([0x80], "text/plain;charset=windows-1252", nil, "€"),
        ([0xCF, 0xF0], "text/plain; charset=windows-1251", nil, "Пр"),
        ([0xE9], "text/plain; charset=utf-8", .isoLatin1, "é"),
        (Array("é".utf8), "text/plain; charset=unheard-of", nil, nil),
        (Array("é".utf8), "text/plain; charset=unheard-of", .utf8, "é"),
        ([0xFE, 0xFF, 0x00, 0x41], "text/plain; charset=utf-16", nil, "A"),
        ([0x41, 0x00], "text/plain; charset=utf-16le", nil, "A"),
        ([0x00, 0x41], "text/plain; boundary=x; charset = utf-16be ", nil, "A"),
        ([0x82, 0xA0], "text/plain; charset=Shift_JIS", nil, "あ"),
        (Array("é".utf8), "text/plain; charset=us-ascii", nil, "Ã©"),
        ([0xFF], "text/plain", .utf8, nil),
        (Array("a".utf8), "text/plain; charset=", nil, "a"),
    ]

    /// Parity: AF-serializer-string
    @Test(arguments: encodings)
    func readsStringsByTheirEncoding(bytes: [UInt8], type: String?, encoding: String.Encoding?, expected: String?) {
        let string = try? CharacterSetDecoding.string(Data(bytes), encoding: encoding, contentType: type)
        #expect(string == expected)
    }

    /// Parity: AF-error-serialization, AF-error-details
    @Test func reportsUndecodableBytes() {
        #expect(
            code { try CharacterSetDecoding.string(Data([0xFF]), encoding: .utf8, contentType: nil) }
                == .stringDecodingFailed
        )
        for (label, encoding) in [("utf-8", String.Encoding.utf8), ("utf-16", .utf16)] {
            let error = #expect(throws: ApusError.self) {
                try CharacterSetDecoding.string(Data([0xFF]), encoding: nil, contentType: "a/b; charset=\(label)")
            }
            #expect(error?.failedStringEncoding == encoding, "\(label)")
        }
    }

    // MARK: Decodables

    /// Parity: AF-serializer-decodable
    @Test func decodesJSON() throws {
        #expect(try serialize(DecodableResponseSerializer<User>(), #"{"name":"swift"}"#) == User(name: "swift"))
        #expect(try serialize(DecodableResponseSerializer<[Int]>(), "[1,2]") == [1, 2])
    }

    /// Parity: AF-serializer-decoder
    @Test func decodesWithACustomDecoder() throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        let serializer = DecodableResponseSerializer<[Date]>(decoder: decoder)
        #expect(try serialize(serializer, "[0]") == [Date(timeIntervalSince1970: 0)])
        let list = "<plist version=\"1.0\"><dict><key>name</key><string>swift</string></dict></plist>"
        let fromList = DecodableResponseSerializer<User>(decoder: PropertyListDecoder())
        #expect(try serialize(fromList, list) == User(name: "swift"))
    }

    static let places: [(String, String)] = [
        (#"{"items":[{"id":1},{"id":"x"}]}"#, "there is no Int at items[1].id"),
        (#"{"items":[{"id":1},{}]}"#, "the key 'id' is missing at items[1]"),
        (#"{}"#, "the key 'items' is missing at the top"),
        (#"{"items":null}"#, "at items"),
        (#"{"items":[{"id":null}]}"#, "at items[0].id"),
        (#"[]"#, "at the top"),
        (#"{"items":"#, "at the top"),
        ("<html>", "at the top"),
    ]

    /// Keys, numbers and media types of a response are cut, and their control characters are escaped.
    @Test func showsOnlyTheBeginningOfAResponse() throws {
        let long = String(repeating: "9", count: 1_000_000)
        let hostile = "\n2026 ERROR root logged in \u{1B}]0;x\u{7}\u{202E}"
        let key = try JSONEncoder().encode(hostile + long)
        let contents = [
            Data("{".utf8) + key + Data(":\"x\"}".utf8), Data("{\"a\":\(long)}".utf8), Data("{\"a\":1.5e\(long)}".utf8),
        ]
        for body in contents {
            for decoder in [JSONContentDecoder(), JSONDecoder()] as [any DataDecoder] {
                let refused = #expect(throws: ApusError.self) {
                    try decoder.decodeReporting([String: Int].self, from: body)
                }
                let error = try #require(refused)
                for text in [error.detail, "\(error)", error.debugDescription] {
                    #expect(text.unicodeScalars.count < 3000)
                    #expect(!text.unicodeScalars.contains { $0.value < 0x20 || ControlCharacters.steers($0.value) })
                }
                #expect(error.detail.unicodeScalars.count < 700, "\(error.detail)")
            }
        }
        let type = "text/\(long)"
        let refusal = try #require(MediaType.refusal(of: type, acceptable: ["image/png"]))
        #expect(refusal.detail == "its Content-Type is 'text/\(long.prefix(35))…', but image/png was expected")
        let number = #expect(throws: ApusError.self) {
            try JSONContentDecoder().decodeReporting(Int.self, from: Data(long.utf8))
        }
        let sentence = "it is not a valid Int: The number \(long.prefix(40))… does not fit in Int."
        #expect(number?.detail.hasPrefix(sentence) == true)
    }

    /// Parity: AF-serializer-decodable, AF-error-serialization
    @Test(arguments: places)
    func reportsWhereDecodingFailed(body: String, place: String) {
        do {
            _ = try serialize(DecodableResponseSerializer<Nested>(), body)
            Issue.record("decoded")
        } catch let error as ApusError {
            #expect(error.code == .decodingFailed)
            #expect(error.underlying is DecodingError)
            #expect(error.detail.hasPrefix("it is not a valid Nested: "), "\(error.detail)")
            #expect(error.detail.contains(place), "\(error.detail)")
        } catch {
            Issue.record(error)
        }
    }
}
