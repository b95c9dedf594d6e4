internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import HTTPTypes
internal import Testing

@Suite(.timeLimit(.minutes(5))) struct RequestCheckTests {
    private static let names = [
        "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE", "PROPFIND", "M-SEARCH", "get",
    ]

    /// Parity: AF-method-values
    @Test(arguments: names)
    func sendsAnyMethodUnchanged(name: String) async throws {
        let test = TestSession()
        let method = try #require(HTTPRequest.Method(name))
        #expect(try await test.session.send(RequestMessage("http://h/", method: method)).status == .ok)
        let handle = test.session.request("http://h/", method: method)
        #expect(await handle.serializingData().response.response?.status == .ok)
        #expect(test.transport.requests.map(\.method.rawValue) == [name, name])
    }

    /// Parity: AF-method-connect
    @Test func rejectsCONNECT() async throws {
        let test = TestSession()
        let message = try RequestMessage("http://h/", method: .connect)
        #expect(await failure { try await test.session.send(message) }?.code == .invalidRequest)
        #expect(test.transport.requests.isEmpty)
    }

    /// Parity: AF-session-get-content
    @Test(arguments: [HTTPRequest.Method.get, .head])
    func sendsABodyWithGETOnlyIfAllowed(method: HTTPRequest.Method) async throws {
        let test = TestSession()
        let message = try RequestMessage("http://h/", method: method, body: .string("x"))
        #expect(await failure { try await test.session.send(message) }?.code == .invalidRequest)
        #expect(try await test.session.send(message, options: [GETBodyPolicy.allowed]).status == .ok)
        let refused = await failure { try await test.session.send(message, options: [GETBodyPolicy.refused]) }
        #expect(refused?.code == .invalidRequest)
        #expect(test.transport.requests.count == 1)
    }

    /// A request is checked again after middleware has changed it.
    @Test func checksRequestsChangedByMiddleware() async throws {
        let test = TestSession.configured {
            $0.middleware = [
                ClosureMiddleware { request, context, next in
                    var request = request
                    request.body = .string("x")
                    return try await next(request, context: context)
                }
            ]
        }
        #expect(await failure { try await test.session.get("http://h/") }?.code == .invalidRequest)
        #expect(test.transport.requests.isEmpty)
    }
}
