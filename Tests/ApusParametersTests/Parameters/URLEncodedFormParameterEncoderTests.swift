internal import Apus
internal import Foundation
internal import Testing

@Suite struct URLEncodedFormParameterEncoderTests {
    typealias Encoder = URLEncodedFormParameterEncoder

    private static let formType = "application/x-www-form-urlencoded; charset=utf-8"

    private func message(_ method: HTTPRequest.Method, _ url: String = "http://h/p") throws -> RequestMessage {
        try RequestMessage(url, method: method)
    }

    /// Parity: AF-form-destination-method
    @Test(arguments: [HTTPRequest.Method.get, .head, .delete])
    func putsTheFormIntoTheQueryForMethodsWithoutABody(method: HTTPRequest.Method) throws {
        let request = try Encoder.default.encode(["b": "2 3", "a": "1"], into: message(method))
        #expect(request.target.path == "/p?a=1&b=2%203")
        #expect(request.body.isNone)
        #expect(request.fields.isEmpty)
    }

    /// Parity: AF-form-destination-method, AF-form-type
    @Test(arguments: [HTTPRequest.Method.post, .put, .patch, .query, .options, HTTPRequest.Method("OWN") ?? .post])
    func putsTheFormIntoTheBodyForOtherMethods(method: HTTPRequest.Method) throws {
        let request = try Encoder.default.encode(["b": "2 3", "a": "1"], into: message(method))
        #expect(request.target.path == "/p")
        #expect(try request.sentString == "a=1&b=2%203")
        #expect(request.fields[values: .contentType] == [Self.formType])
    }

    /// Parity: AF-form-destination-query, AF-form-destination-body
    @Test func putsTheFormIntoTheConfiguredDestination() throws {
        let query = try Encoder(destination: .queryString).encode(["a": 1], into: message(.post))
        #expect(query.target.path == "/p?a=1")
        #expect(query.body.isNone)
        let content = try Encoder(destination: .httpBody).encode(["a": 1], into: message(.delete))
        #expect(content.target.path == "/p")
        #expect(try content.sentString == "a=1")
    }

    /// Parity: AF-form-query-appends
    @Test(arguments: [
        ("http://h", "/?a=1"), ("http://h/?", "/?a=1"), ("http://h/?b=2", "/?b=2&a=1"), ("http://h/?b=2&", "/?b=2&a=1"),
        ("http://h/x?b=%20#f", "/x?b=%20&a=1"),
    ])
    func appendsTheFormToAnExistingQuery(url: String, path: String) throws {
        #expect(try Encoder.default.encode(["a": 1], into: message(.get, url)).target.path == path)
    }

    /// Parity: AF-form-query-empty
    @Test(arguments: ["http://h/p", "http://h/p?", "http://h/p?b=2"])
    func keepsTheTargetIfTheFormIsEmpty(url: String) throws {
        let request = try message(.get, url)
        #expect(try Encoder.default.encode([String: Int](), into: request).target == request.target)
        #expect(try Encoder.default.encode(["a": [Int]()], into: request).target == request.target)
    }

    @Test func sendsAnEmptyBodyIfTheFormIsEmpty() throws {
        let request = try Encoder.default.encode([String: Int](), into: message(.post))
        #expect(try request.sentBytes.isEmpty)
        #expect(request.fields[.contentType] == Self.formType)
    }

    /// Parity: AF-legacy-url-options
    @Test func acceptsACustomEncoder() throws {
        let encoder = Encoder(encoder: URLEncodedFormEncoder(boolEncoding: .literal), destination: .queryString)
        #expect(try encoder.encode(["a": true], into: message(.put)).target.path == "/p?a=true")
    }

    /// An encoder that lets through characters that are invalid in a URI can't break the request line.
    @Test func checksTheQueryOfAnEncoderThatEscapesTooLittle() throws {
        let all = CharacterSet(charactersIn: Unicode.Scalar(0)...Unicode.Scalar(127))
        let encoder = Encoder(encoder: URLEncodedFormEncoder(allowedCharacters: all))
        let lenient = try encoder.encode(["a": "b\"<#c> é"], into: message(.get))
        #expect(lenient.target.path == "/p?a=b%22%3C%23c%3E%20%C3%A9")
        for hostile in ["a\r\nHost: evil", "\0", "\u{7F}"] {
            let error = try refusal { try encoder.encode(["a": hostile], into: message(.get)) }
            #expect(error.code == .invalidURL)
            #expect(error.detail.contains("control character"))
        }
    }

    @Test func rejectsAValueThatCanNotBeEncoded() throws {
        let error = try refusal { try Encoder.default.encode(["a": Double.nan], into: message(.post)) }
        #expect(error.code == .parameterEncodingFailed)
    }
}
