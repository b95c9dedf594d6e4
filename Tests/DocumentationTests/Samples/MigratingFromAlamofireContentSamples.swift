internal import Apus
internal import Foundation
internal import Testing

/// The code of the article on Alamofire about methods, fields, parameters and forms.
@Suite(.timeLimit(.minutes(5)))
struct MigratingFromAlamofireContentSamples {
    private let data = Data("data".utf8)
    private let message: RequestMessage

    init() throws {
        message = try Router.user(id: 1).asRequest()
    }

    private func chunks() -> AsyncStream<BodyChunk> {
        AsyncStream { stream in
            stream.yield(BodyChunk("a line\r\n"))
            stream.finish()
        }
    }

    @Test func methodsAndFields() throws {
        #expect(HTTPRequest.Method("PURGE")?.rawValue == "PURGE")
        var fields: HTTPFields = [.accept: "text/plain", .acceptLanguage: "en"]
        fields[.accept] = "text/html"
        fields[.acceptLanguage] = nil
        fields.append(try .authorization(bearerToken: "token"))
        try fields.set(checking: "X-Request-Tag", "blue")
        fields.sort { $0.name.canonicalName < $1.name.canonicalName }
        #expect(fields[values: .accept] == ["text/html"])
        #expect(try HTTPFields(checking: ["X-Request-Tag": "blue"]).count == 1)
        let named = [
            HTTPField(name: .accept, value: "text/plain"),
            try HTTPField.authorization(username: "ada", password: "secret"),
            try HTTPField.contentDisposition("attachment"),
        ]
        #expect(named.map(\.name) == [.accept, .authorization, .contentDisposition])
        print(PreferredLanguages.current.fieldValue ?? "any language")
    }

    @Test func encoders() throws {
        let parameters: Parameters = ["name": "Ada", "tags": ["x", "y"], "parent": nil]
        let encoders: [any ParameterEncoder] = [
            .json, .json(encoder: JSONEncoder()), JSONParameterEncoder.prettyPrinted, JSONParameterEncoder.sortedKeys,
            .urlEncodedForm, .urlEncodedForm(destination: .httpBody),
        ]
        for encoder in encoders { #expect(throws: Never.self) { try encoder.encode(parameters, into: message) } }
        let query: any ParameterEncoder = .urlEncodedForm(destination: .queryString)
        #expect(try query.encode(["q": "a b"], into: message).target.path == "/users/1?q=a%20b")
        let dependent: any ParameterEncoder = .urlEncodedForm(destination: .methodDependent)
        #expect(try dependent.encode(["q": "a b"], into: message).target.path == "/users/1?q=a%20b")
    }

    @Test func formOptions() throws {
        let encoders = [
            URLEncodedFormEncoder(alphabetizeKeyValuePairs: false),
            URLEncodedFormEncoder(arrayEncoding: .noBrackets),
            URLEncodedFormEncoder(arrayEncoding: .indexInBrackets),
            URLEncodedFormEncoder(arrayEncoding: .custom { key, index in "\(key).\(index)" }),
            URLEncodedFormEncoder(boolEncoding: .literal),
            URLEncodedFormEncoder(dataEncoding: .deferredToData),
            URLEncodedFormEncoder(dateEncoding: .iso8601),
            URLEncodedFormEncoder(keyEncoding: .convertToSnakeCase),
            URLEncodedFormEncoder(keyPathEncoding: .dots),
            URLEncodedFormEncoder(nilEncoding: .null),
            URLEncodedFormEncoder(spaceEncoding: .plusReplaced),
            URLEncodedFormEncoder(allowedCharacters: .afURLQueryAllowed),
        ]
        let texts: [String] = try encoders.map { try $0.encode(["done": true]) }
        #expect(Set(texts) == ["done=1", "done=true"])
        let encoder: any ParameterEncoder = .urlEncodedForm(encoder: URLEncodedFormEncoder(boolEncoding: .literal))
        #expect(try encoder.encode(["done": true], into: message).target.path == "/users/1?done=true")
    }

    @Test func forms() async throws {
        let fileURL = URL.temporaryDirectory.appending(path: "apus-\(UUID().uuidString).png")
        let target = URL.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)")
        try data.write(to: fileURL)
        defer { for url in [fileURL, target] { try? FileManager.default.removeItem(at: url) } }
        var form = try MultipartFormData(boundary: "boundary")
        form.append(data, withName: "comment")
        try form.append(data, withName: "icon", fileName: "i.png", mimeType: "image/png")
        try form.append(fileURL, withName: "portrait")
        try form.append(fileURL, withName: "portrait", fileName: "ada.png", mimeType: "image/png")
        try form.append(chunks(), withLength: 8, name: "log", fileName: "log", mimeType: "text/plain")
        try form.append(.bytes(data), fields: [.contentType: "text/plain"])
        #expect(form.contentType == "multipart/form-data; boundary=boundary")
        #expect(form.boundary == "boundary")
        try await form.writeEncodedData(to: target)
        #expect(try Data(contentsOf: target).count == form.contentLength.map(Int.init))
        var text = MultipartFormData()
        text.append("Ada", withName: "name")
        #expect(try await encoded(text).count < MultipartFormData.encodingMemoryThreshold)
    }

    private func encoded(_ form: MultipartFormData) async throws -> Data {
        try await form.encode()
    }

    @Test func compression() throws {
        var configuration = Session.Configuration()
        configuration.middleware = [RequestCompressor(.deflate)]
        #expect(configuration.middleware.count == 1)
        let compressions = [
            RequestCompression(.deflate, duplicateField: .skip), RequestCompression(.deflate, minimumBytes: 0),
            RequestCompression(.deflate) { $0.method == .post },
        ]
        #expect(compressions.allSatisfy { $0.coding == .deflate })
        #expect(try message.compressed(with: .deflate).fields[.contentEncoding] == nil, "it is too short for that")
    }
}
