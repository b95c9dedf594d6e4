internal import Apus
internal import ApusAFNetworking
internal import Foundation
internal import HTTPTypes
internal import Testing

@Suite struct AFHTTPRequestSerializerTests {
    private let serializer = AFHTTPRequestSerializer()

    @Test(
        arguments: [
            ([:], ""),
            (["b": 1, "a": "x y"], "a=x%20y&b=1"),
            (["user": ["name": "Ada", "age": 36]], "user%5Bage%5D=36&user%5Bname%5D=Ada"),
            (
                ["a": ["b": ["d": 1, "c": [2, 1]]]], "a%5Bb%5D%5Bc%5D%5B%5D=2&a%5Bb%5D%5Bc%5D%5B%5D=1&a%5Bb%5D%5Bd%5D=1"
            ),
            (["a": ["x", "y"], "s": .set(["2", "1"])], "a%5B%5D=x&a%5B%5D=y&s=1&s=2"),
            (["a": nil, "b": ["c": nil]], "a&b%5Bc%5D"),
            (["a": true, "b": false, "c": 1.5, "d": 2.0], "a=1&b=0&c=1.5&d=2"),
            (["q": "?/:#[]@!$&'()*+,;="], "q=?/%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D"),
            (["q": "é👩‍👩‍👧"], "q=%C3%A9%F0%9F%91%A9%E2%80%8D%F0%9F%91%A9%E2%80%8D%F0%9F%91%A7"),
        ] as [(Parameters, String)]
    )
    func writesTheSameIntoQueriesAndForms(parameters: Parameters, expected: String) async throws {
        let get = try serializer.request(withMethod: .get, urlString: "http://h/p", parameters: parameters)
        #expect(get.target.path == (expected.isEmpty ? "/p" : "/p?\(expected)"))
        #expect(get.body.isNone)
        #expect(get.fields[.contentType] == nil)

        let post = try serializer.request(withMethod: .post, urlString: "http://h/p", parameters: parameters)
        #expect(post.target.path == "/p")
        #expect(try await post.text == expected)
        #expect(post.fields[.contentType] == "application/x-www-form-urlencoded")
    }

    /// Foundation's array has no key, which AFNetworking writes as `(null)[]`.
    @Test func writesAnArrayWithAnEmptyKey() async throws {
        let list: AFParameters = ["a b", ["k": [1, 2]], .set(["y", "x"]), nil]
        let expected = "%5B%5D=a%20b&%5B%5D%5Bk%5D%5B%5D=1&%5B%5D%5Bk%5D%5B%5D=2&%5B%5D=x&%5B%5D=y&%5B%5D"
        let get = try serializer.request(withMethod: .get, urlString: "http://h/p", parameters: list)
        #expect(get.target.path == "/p?\(expected)")
        let post = try serializer.request(withMethod: .post, urlString: "http://h/p", parameters: list)
        #expect(try await post.text == expected)
    }

    // MARK: Encodings

    /// Parity: AFN-request-encoding
    @Test func writesFormsInItsEncoding() async throws {
        var serializer = serializer
        serializer.stringEncoding = .isoLatin1
        let parameters: AFParameters = [
            "ü": "é b", "n": ["k": [1, true]], "o": nil, "d": .data(Data([255])), "s": .set(["b", "a"]),
        ]
        let post = try serializer.request(withMethod: .post, urlString: "http://h/p", parameters: parameters)
        #expect(try await post.text == "d=/w%3D%3D&n%5Bk%5D%5B%5D=1&n%5Bk%5D%5B%5D=1&o&s=a&s=b&%FC=%E9%20b")
        #expect(post.fields[.contentType] == "application/x-www-form-urlencoded; charset=iso-8859-1")
        // A query is always UTF-8.
        let get = try serializer.request(withMethod: .get, urlString: "http://h/p", parameters: ["q": "é"])
        #expect(get.target.path == "/p?q=%C3%A9")
        #expect(get.fields[.contentType] == nil)
    }

    @Test func writesTheFormOfABlockInItsEncoding() async throws {
        var serializer = serializer
        serializer.stringEncoding = .utf16BigEndian
        serializer.queryStringSerialization = { _, _ in "é" }
        let post = try serializer.request(withMethod: .post, urlString: "http://h/p", parameters: ["a": 1])
        #expect(try await post.content == Data([0, 0xE9]))
        #expect(post.fields[.contentType] == "application/x-www-form-urlencoded; charset=utf-16be")
        serializer.stringEncoding = .ascii
        let error = try await refusal {
            try serializer.request(withMethod: .post, urlString: "http://h/p", parameters: ["a": 1])
        }
        #expect(error.code == .parameterEncodingFailed)
        #expect(error.detail.contains("the form") && error.detail.contains("us-ascii"))
    }

    /// Parity: AFN-request-encoding
    @Test(
        arguments: [(["user": ["name": "Łódź"]], "'user[name]'"), (["ключ": 1], "'ключ'")] as [(AFParameters, String)]
    )
    func namesTheParameterThatItsEncodingLacks(parameters: AFParameters, name: String) async throws {
        var serializer = serializer
        serializer.stringEncoding = .isoLatin1
        let error = try await refusal {
            try serializer.request(withMethod: .post, urlString: "http://h/p", parameters: parameters)
        }
        #expect(error.code == .parameterEncodingFailed)
        #expect(error.detail.contains(name), "\(error.detail)")
        #expect(error.detail.contains("iso-8859-1"))
        #expect(error.method == .post)
    }

    @Test(arguments: [String.Encoding.utf16, .utf32LittleEndian, .nonLossyASCII, .symbol])
    func rejectsEncodingsThatAFormCannotHave(encoding: String.Encoding) async throws {
        var serializer = serializer
        serializer.stringEncoding = encoding
        let error = try await refusal {
            try serializer.request(withMethod: .post, urlString: "http://h/p", parameters: ["a": "b"])
        }
        #expect(error.code == .parameterEncodingFailed)
        #expect(error.detail.contains("utf8"))
    }

    /// Parity: AFN-request-methods
    @Test(arguments: [HTTPRequest.Method.get, .head, .delete])
    func putsParametersIntoTheQueryOf(method: HTTPRequest.Method) throws {
        let request = try serializer.request(withMethod: method, urlString: "http://h/", parameters: ["a": 1])
        #expect(request.target.path == "/?a=1")
        #expect(request.body.isNone)
    }

    /// Parity: AFN-request-type
    @Test(arguments: [HTTPRequest.Method.post, .put, .patch, .options])
    func putsParametersIntoTheBodyOf(method: HTTPRequest.Method) async throws {
        let request = try serializer.request(withMethod: method, urlString: "http://h/", parameters: ["a": 1])
        #expect(request.target.path == "/")
        #expect(try await request.text == "a=1")
    }

    /// Parity: AFN-request-empty-body
    @Test(arguments: [HTTPRequest.Method.post, .put, .patch])
    func hasABodyEvenWithoutParameters(method: HTTPRequest.Method) async throws {
        let request = try serializer.request(withMethod: method, urlString: "http://h/")
        #expect(!request.body.isNone)
        #expect(request.body.length == 0)
        #expect(try await request.text == "")
        #expect(request.fields[.contentType] == "application/x-www-form-urlencoded")
    }

    @Test(arguments: [
        ("http://h", "/?a=1"), ("http://h/p?", "/p?a=1"), ("http://h/p?b=2", "/p?b=2&a=1"),
        ("http://h/p?b=2&", "/p?b=2&a=1"), ("http://h/p#end", "/p?a=1"), ("http://h/p?b=2#end", "/p?b=2&a=1"),
    ])
    func extendsAnExistingQuery(url: String, path: String) throws {
        #expect(try serializer.request(withMethod: .get, urlString: url, parameters: ["a": 1]).target.path == path)
        let plain = try serializer.request(withMethod: .get, urlString: url)
        #expect(plain.target == (try RequestMessage(url).target))
    }

    /// Parity: AFN-request-type
    @Test func keepsTheContentTypeOfARequest() async throws {
        var request = try RequestMessage("http://h/", method: .post)
        request.fields[.contentType] = "application/x-www-form-urlencoded; charset=utf-8"
        let serialized = try serializer.request(bySerializing: request, withParameters: ["a": 1])
        #expect(serialized.fields[values: .contentType] == ["application/x-www-form-urlencoded; charset=utf-8"])
        #expect(try await serialized.text == "a=1")
    }

    @Test func keepsItsOwnContentType() throws {
        var serializer = serializer
        serializer.httpRequestHeaders[.contentType] = "text/form"
        let request = try serializer.request(withMethod: .post, urlString: "http://h/", parameters: ["a": 1])
        #expect(request.fields[values: .contentType] == ["text/form"])
    }

    @Test func keepsOtherPropertiesOfARequest() throws {
        var request = try RequestMessage("http://h/", method: .get)
        request.fields[.from] = "ada@example.org"
        let serialized = try serializer.request(bySerializing: request, withParameters: nil)
        #expect(serialized.fields[.from] == "ada@example.org")
        #expect(serialized.method == .get)
        #expect(serialized.target == request.target)
    }
}
