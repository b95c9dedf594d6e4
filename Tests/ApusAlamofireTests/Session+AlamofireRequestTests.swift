internal import ApusAlamofire
internal import ApusCore
internal import ApusTestServer
internal import ApusTestSupport
internal import Foundation
internal import HTTPTypes
internal import Testing

@Suite(.timeLimit(.minutes(5)))
struct SessionAlamofireRequestTests {
    private struct Login: Encodable, Sendable {
        let email: String
    }

    /// Parity: AF-session-labels
    @Test func sendsHeaders() async throws {
        let token = "mF_9"
        let headers: HTTPHeaders = ["Authorization": "Bearer \(token)", "Accept": "application/json"]
        try await withServer { server, session in
            let request = session.request(server.url("/get"), headers: headers)
            let echo = try await request.validate().serializingDecodable(Echo.self).value
            #expect(echo.headers["Authorization"] == "Bearer mF_9")
            #expect(echo.headers["Accept"] == "application/json")
            let listed: HTTPHeaders = [.authorization(username: "ada", password: "x"), .userAgent("Example/1.0")]
            let other = session.request(server.url("/get"), method: .get, headers: listed)
            let second = try await other.serializingDecodable(Echo.self).value
            #expect(second.headers["User-Agent"] == "Example/1.0")
            #expect(second.headers["Authorization"]?.hasPrefix("Basic ") == true)
        }
    }

    /// Parity: AF-session-labels
    @Test func encodesParameters() async throws {
        try await withServer { server, session in
            let headers: HTTPHeaders = ["X-Tag": "blue"]
            let url = server.url("/anything")
            let query = session.request(url, parameters: ["page": 2], headers: headers)
            let found1 = try await query.serializingDecodable(Echo.self).value.args
            #expect(found1 == ["page": "2"])
            let login = session.request(url, method: .post, parameters: Login(email: "ada@h"), headers: headers)
            let found2 = try await login.serializingDecodable(Echo.self).value.form
            #expect(found2 == ["email": "ada@h"])
            let json = session.request(
                url,
                method: .put,
                parameters: Echo.Person(name: "Ada"),
                encoder: JSONParameterEncoder.default,
                headers: headers
            )
            let echo = try await json.serializingDecodable(Echo.self).value
            #expect(echo.method == "PUT" && echo.json == Echo.Person(name: "Ada"))
            #expect(echo.headers["X-Tag"] == "blue")
        }
    }

    /// Parity: AF-session-labels
    @Test func encodesALiteralOfSeveralTypes() async throws {
        try await withServer { server, session in
            let url = server.url("/anything")
            let ada = Echo.Person(name: "Ada", age: 36)
            let json = session.request(
                url,
                method: .post,
                parameters: ["name": "Ada", "age": 36],
                encoding: JSONEncoding.default
            )
            let found3 = try await json.serializingDecodable(Echo.self).value.json
            #expect(found3 == ada)
            let sorted = session.request(
                url,
                method: .post,
                parameters: ["name": "Ada", "age": 36],
                encoder: JSONParameterEncoder.sortedKeys,
                headers: [.accept("*/*")]
            )
            let found4 = try await sorted.serializingDecodable(Echo.self).value.data
            #expect(found4 == #"{"age":36,"name":"Ada"}"#)
            let encoding = URLEncoding(destination: .queryString, boolEncoding: .literal)
            let flags: Parameters = ["flag": true]
            let query = session.request(url, method: .post, parameters: flags, encoding: encoding)
            let found5 = try await query.serializingDecodable(Echo.self).value.args
            #expect(found5 == ["flag": "true"])
            let body = session.request(url, method: .delete, parameters: flags, encoding: URLEncoding.httpBody)
            let found6 = try await body.serializingDecodable(Echo.self).value.form
            #expect(found6 == ["flag": "1"])
            let forced = session.request(url, method: .post, parameters: flags, encoding: URLEncoding.queryString)
            let found7 = try await forced.serializingDecodable(Echo.self).value.args
            #expect(found7 == ["flag": "1"])
        }
    }

    /// Parity: AF-session-labels
    @Test func acceptsNil() async throws {
        try await withServer { server, session in
            let url = server.url("/anything")
            let requests = [
                session.request(url, method: .get, parameters: nil),
                session.request(url, method: .get, parameters: nil, headers: nil),
                session.request(url, parameters: nil, encoding: JSONEncoding.default, headers: nil, interceptor: nil),
                session.request(url, parameters: nil, encoder: JSONParameterEncoder.default),
                session.request(url, interceptor: nil, requestModifier: nil),
            ]
            for request in requests {
                let echo = try await request.serializingDecodable(Echo.self).value
                #expect(echo.method == "GET" && echo.args.isEmpty && echo.data.isEmpty)
            }
        }
    }

    /// Parity: AF-session-labels
    @Test func modifiesTheRequest() async throws {
        try await withServer { server, session in
            let request = session.request(
                server.url("/anything"),
                method: .post,
                parameters: ["a": "1"],
                headers: ["X-Tag": "blue"],
                requestModifier: { request in
                    request.timeoutInterval = 60
                    request.setValue("green", forHTTPHeaderField: "X-Tag")
                    request.addValue("en", forHTTPHeaderField: "Accept-Language")
                    request.headers.remove(name: "Accept-Language")
                    request.headers.add(name: "X-Other", value: "red")
                }
            )
            let echo = try await request.serializingDecodable(Echo.self).value
            #expect(echo.headers["X-Tag"] == "green" && echo.headers["X-Other"] == "red")
            #expect(echo.form == ["a": "1"])
            let trailing = session.request(server.url("/anything")) { $0.headers["X-Tag"] = "red" }
            let found8 = try await trailing.serializingDecodable(Echo.self).value.headers["X-Tag"]
            #expect(found8 == "red")
        }
    }

    @Test func rejectsAnInvalidFieldOfAModifier() async throws {
        try await withServer { server, session in
            let response = await session.request(
                server.url("/get"),
                headers: ["X-Tag": "blue"],
                requestModifier: {
                    $0.setValue("a\r\nEvil: b", forHTTPHeaderField: "X-Tag")
                    $0.setValue("good", forHTTPHeaderField: "X-Other")
                }
            ).serializingData().response
            #expect(response.error?.code == .invalidField)
            let named = await session.request(server.url("/get"), headers: ["Bad Name": "x"]).serializingData().response
            #expect(named.error?.code == .invalidField)
            #expect(server.requestCount == 0)
        }
    }

    /// Parity: AF-session-labels
    @Test func callsTheInterceptor() async throws {
        try await withServer { server, session in
            let calls = LockedValue(0)
            let interceptor = Interceptor(
                adapter: Adapter { request, context, completion in
                    var request = request
                    request.headers.update(.authorization(bearerToken: "fresh"))
                    completion(.success(request))
                },
                retrier: Retrier { attempt, context, error, completion in
                    _ = calls.increased(by: 1)
                    let isUnavailable = error.asAFError?.responseCode == 503 && attempt.retryCount < 2
                    completion(isUnavailable ? .retryWithDelay(0.001) : .doNotRetry)
                }
            )
            let refused = session.request(server.url("/status/503"), interceptor: interceptor).validate()
            #expect(await refused.serializingData().response.error?.responseCode == 503)
            #expect(server.requestCount == 3 && calls.value == 3)
            #expect(server.requests.allSatisfy { $0["Authorization"] == "Bearer fresh" })
            let message = try RequestMessage(url: server.url("/get"), method: .get)
            let accepted = session.request(message, interceptor: interceptor)
            let echo = try await accepted.serializingDecodable(Echo.self).value
            #expect(echo.headers["Authorization"] == "Bearer fresh")
        }
    }

    /// Parity: AF-session-labels
    @Test func retriesByAPolicy() async throws {
        try await withServer { server, session in
            let url = server.url("/status/503")
            let policy = session.request(url, interceptor: .retryPolicy(retryLimit: 1, scale: .zero))
            #expect(await policy.serializingData().response.response?.statusCode == 503)
            #expect(server.requestCount == 2)
            let found = session.request(server.url("/get"), headers: nil, interceptor: .retryPolicy).validate()
            let found9 = try await found.serializingDecodable(Echo.self).value.method
            #expect(found9 == "GET")
        }
    }

    @Test func endsASilentRequestAfterItsTimeout() async throws {
        try await withServer { server, session in
            let request = session.request(server.url("/delay/3600"), requestModifier: { $0.timeoutInterval = 0.2 })
            #expect(await request.serializingData().response.error?.code == .readTimeout)
        }
    }
}
