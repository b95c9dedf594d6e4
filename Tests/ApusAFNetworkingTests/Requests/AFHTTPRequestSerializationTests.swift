internal import Apus
internal import ApusAFNetworking
internal import Foundation
internal import HTTPTypes
internal import Testing

/// The common behavior of all request serializers.
@Suite struct AFHTTPRequestSerializationTests {
    /// Parity: AFN-request-header-set
    @Test(arguments: everyRequestSerializer)
    func addsItsFieldsToRequests(serializer: any AFHTTPRequestSerialization) throws {
        var serializer = serializer
        try serializer.setValue("blue", forHTTPHeaderField: "x-request-tag")
        #expect(serializer.value(forHTTPHeaderField: "X-Request-Tag") == "blue")
        for method in [HTTPRequest.Method.get, .post] {
            let request = try serializer.request(withMethod: method, urlString: "http://h/")
            #expect(request.fields[values: try #require(.init("X-Request-Tag"))] == ["blue"])
            #expect(request.fields[.userAgent] != nil)
        }
    }

    /// Parity: AFN-request-header-wins
    @Test(arguments: everyRequestSerializer)
    func keepsTheFieldsOfARequest(serializer: any AFHTTPRequestSerialization) throws {
        var serializer = serializer
        try serializer.setValue("a serializer", forHTTPHeaderField: "From")
        try serializer.setValue("text/plain", forHTTPHeaderField: "Accept")
        var request = try RequestMessage("http://h/")
        request.fields[values: .from] = ["one", "two"]
        let serialized = try serializer.request(bySerializing: request, withParameters: nil)
        #expect(serialized.fields[values: .from] == ["one", "two"])
        #expect(serialized.fields[values: .accept] == ["text/plain"])
    }

    /// Parity: AFN-request-header-set
    @Test func removesAndReplacesFields() throws {
        var serializer = AFHTTPRequestSerializer()
        try serializer.setValue("one", forHTTPHeaderField: "From")
        try serializer.setValue("two", forHTTPHeaderField: "from")
        #expect(serializer.httpRequestHeaders[values: .from] == ["two"])
        try serializer.setValue(nil, forHTTPHeaderField: "FROM")
        try serializer.setValue(nil, forHTTPHeaderField: "User-Agent")
        #expect(serializer.value(forHTTPHeaderField: "From") == nil)
        #expect(serializer.value(forHTTPHeaderField: "no token") == nil)
        let request = try serializer.request(withMethod: .get, urlString: "http://h/")
        #expect(!request.fields.contains(.userAgent))
    }

    @Test(arguments: [("X-Tag", "a\r\nb"), ("X-Tag", "a\0"), ("X Tag", "a"), ("", "a"), ("X-Tag\r\nY", "a")])
    func rejectsFieldsWithControlCharacters(name: String, value: String) async throws {
        var serializer = AFHTTPRequestSerializer()
        let before = serializer.httpRequestHeaders
        let error = try await refusal { try serializer.setValue(value, forHTTPHeaderField: name) }
        #expect(error.code == .invalidField)
        #expect(serializer.httpRequestHeaders == before)
    }

    /// Parity: AFN-request-authorization
    @Test func authorizesRequests() async throws {
        var serializer = AFHTTPRequestSerializer()
        try serializer.setAuthorizationHeaderField(withUsername: "Aladdin", password: "open sesame")
        #expect(serializer.value(forHTTPHeaderField: "Authorization") == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
        try serializer.setAuthorizationHeaderField(withUsername: "Zoë", password: "a:b")
        let request = try serializer.request(withMethod: .get, urlString: "http://h/")
        let value = "Basic \(Data("Zoë:a:b".utf8).base64EncodedString())"
        #expect(request.fields[values: .authorization] == [value])

        let error = try await refusal {
            try serializer.setAuthorizationHeaderField(withUsername: "a:b", password: "")
        }
        #expect(error.code == .invalidField)
        serializer.clearAuthorizationHeader()
        #expect(serializer.value(forHTTPHeaderField: "Authorization") == nil)
        #expect(try !serializer.request(withMethod: .get, urlString: "http://h/").fields.contains(.authorization))
    }

    /// Parity: AFN-request-methods
    @Test(arguments: everyRequestSerializer)
    func hasConfigurableMethodsWithQueries(serializer: any AFHTTPRequestSerialization) throws {
        var serializer = serializer
        #expect(serializer.httpMethodsEncodingParametersInURI == [.get, .head, .delete])
        serializer.httpMethodsEncodingParametersInURI = [.get, .post]
        let post = try serializer.request(withMethod: .post, urlString: "http://h/", parameters: ["a": 1])
        #expect(post.target.path == "/?a=1")
        #expect(post.body.isNone)
        #expect(post.fields[.contentType] == nil)
        let delete = try serializer.request(withMethod: .delete, urlString: "http://h/", parameters: ["a": 1])
        #expect(delete.target.path == "/")
        #expect(!delete.body.isNone)
    }

    /// Parity: AFN-request-block
    @Test(arguments: everyRequestSerializer)
    func usesACustomQuerySerialization(serializer: any AFHTTPRequestSerialization) throws {
        var serializer = serializer
        serializer.queryStringSerialization = { request, parameters in
            "\(request.method.rawValue)|\(try parameters.dictionary.keys.sorted().joined(separator: "+"))=%41 é"
        }
        let request = try serializer.request(withMethod: .get, urlString: "http://h/?x", parameters: ["b": 1, "a": 2])
        // Invalid characters are escaped, and escaped ones are unchanged.
        #expect(request.target.path == "/?x&GET%7Ca+b=%41%20%C3%A9")
        let plain = try serializer.request(withMethod: .get, urlString: "http://h/?x")
        #expect(plain.target.path == "/?x")
        serializer.queryStringSerialization = nil
        let encoded = try serializer.request(withMethod: .get, urlString: "http://h/", parameters: ["b": 1, "a": 2])
        #expect(encoded.target.path == "/?a=2&b=1")
    }

    @Test func usesACustomFormSerialization() async throws {
        var serializer = AFHTTPRequestSerializer()
        serializer.queryStringSerialization = { _, parameters in
            try parameters.dictionary.keys.sorted().joined(separator: "\n")
        }
        let request = try serializer.request(withMethod: .post, urlString: "http://h/", parameters: ["b": 1, "a": 2])
        #expect(try await request.text == "a\nb")
    }

    @Test(arguments: everyRequestSerializer)
    func rejectsAQueryWithControlCharacters(serializer: any AFHTTPRequestSerialization) async throws {
        var serializer = serializer
        serializer.queryStringSerialization = { _, _ in "a=1 HTTP/1.1\r\nX: y" }
        let error = try await refusal {
            try serializer.request(withMethod: .get, urlString: "http://h/", parameters: ["a": 1])
        }
        #expect(error.code == .invalidURL)
    }

    /// Parity: AFN-request-block
    @Test(arguments: everyRequestSerializer)
    func reportsTheErrorOfTheBlock(serializer: any AFHTTPRequestSerialization) async throws {
        var serializer = serializer
        serializer.queryStringSerialization = { _, _ in throw CustomError() }
        let error = try await refusal {
            try serializer.request(withMethod: .get, urlString: "http://h/p?secret=1", parameters: ["a": 1])
        }
        #expect(error.code == .parameterEncodingFailed)
        #expect(error.underlying is CustomError)
        #expect(error.method == .get)
        #expect(error.url?.contains("/p") == true)
    }

    /// Parity: AFN-http-timeout, AFN-request-cookies, AFN-request-options
    @Test(arguments: everyRequestSerializer)
    func addsItsOptionsToRequests(serializer: any AFHTTPRequestSerialization) throws {
        var serializer = serializer
        #expect(try serializer.request(withMethod: .get, urlString: "http://h/").options.isEmpty)
        serializer.timeoutInterval = .seconds(5)
        serializer.deadline = .seconds(50)
        serializer.httpShouldHandleCookies = false
        serializer.options[RedirectPolicy.self] = .refuse
        for method in [HTTPRequest.Method.get, .post] {
            let options = try serializer.request(withMethod: method, urlString: "http://h/").options
            #expect(options[RequestTimeouts.self] == RequestTimeouts(idleRead: .seconds(5), idleWrite: .seconds(5)))
            #expect(options[RequestDeadline.self] == RequestDeadline(.seconds(50)))
            #expect(options[CookieHandling.self]?.isOff == true)
            #expect(options[RedirectPolicy.self] == .refuse)
        }
        let form = try serializer.multipartFormRequest(withMethod: .post, urlString: "http://h/") { _ in }
        #expect(form.options[RedirectPolicy.self] == .refuse)
    }

    /// Parity: AFN-request-options
    @Test(arguments: everyRequestSerializer)
    func keepsTheOptionsOfARequest(serializer: any AFHTTPRequestSerialization) throws {
        var serializer = serializer
        serializer.deadline = .seconds(50)
        serializer.options[RedirectPolicy.self] = .refuse
        var request = try RequestMessage("http://h/")
        request.options[RequestDeadline.self] = RequestDeadline(.seconds(1))
        let options = try serializer.request(bySerializing: request, withParameters: nil).options
        #expect(options[RequestDeadline.self] == RequestDeadline(.seconds(1)))
        #expect(options[RedirectPolicy.self] == .refuse)
    }

    /// Parity: AFN-http-timeout
    @Test(arguments: everyRequestSerializer)
    func keepsItsOptions(serializer: any AFHTTPRequestSerialization) {
        var serializer = serializer
        #expect(serializer.timeoutInterval == nil)
        #expect(serializer.deadline == nil)
        #expect(serializer.queryStringSerialization == nil)
        serializer.timeoutInterval = .seconds(5)
        serializer.deadline = .seconds(50)
        let copy = serializer
        serializer.timeoutInterval = nil
        #expect(copy.settings.timeoutInterval == .seconds(5))
        #expect(copy.deadline == .seconds(50))
        #expect(serializer.timeoutInterval == nil)
    }

    @Test(
        arguments: everyRequestSerializer,
        [["a": .set([["b": .number(.nan)]])], ["a": .decimal(.nan)]] as [Parameters]
    )
    func rejectsInvalidNumbers(serializer: any AFHTTPRequestSerialization, parameters: Parameters) async throws {
        let error = try await refusal {
            try serializer.request(withMethod: .get, urlString: "http://h/", parameters: parameters)
        }
        #expect(error.code == .parameterEncodingFailed)
        #expect(error.method == .get)
    }
}
