internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct MiddlewareTests {
    private struct Fault: Error, CustomStringConvertible {
        let description = "at https://user:sesame@h/"
    }

    private struct Failing: Middleware {
        func handle(
            _ request: consuming RequestMessage,
            context: RequestContext,
            next: Next
        ) async throws -> ResponseMessage {
            throw Fault()
        }
    }

    private let notes = LockedList<String>()

    private func noting(_ name: String) -> ClosureMiddleware {
        ClosureMiddleware { [notes] request, context, next in
            notes.append("\(name) > \(request.target.path)")
            let response = try await next(request, context: context)
            notes.append("\(name) < \(response.status.code)")
            return response
        }
    }

    @Test(arguments: [HandlerExecution.concurrent, .eventLoop])
    func runsMiddlewareInOrder(handlerExecution: HandlerExecution) async throws {
        let test = TestSession {
            $0.handlerExecution = handlerExecution
            $0.middleware = [noting("a"), noting("b")]
            $0.networkMiddleware = [noting("c"), noting("d")]
        } responding: { request in
            request.target.path == "/" ? MockResponse(status: .found, fields: [.location: "/x"]) : MockResponse()
        }
        _ = try await test.session.get("http://h/")
        #expect(
            notes.all == [
                "a > /", "b > /", "c > /", "d > /", "d < 302", "c < 302", "c > /x", "d > /x", "d < 200", "c < 200",
                "b < 200", "a < 200",
            ]
        )
    }

    @Test func seesSessionFieldsOnlyInNetworkMiddleware() async throws {
        let test = TestSession.configured {
            $0.middleware = [
                ClosureMiddleware { request, context, next in
                    #expect(request.fields.isEmpty)
                    return try await next(request, context: context)
                }
            ]
            $0.networkMiddleware = [
                ClosureMiddleware { request, context, next in
                    #expect(request.fields[.userAgent] != nil)
                    #expect(request.fields[.acceptEncoding] != nil)
                    return try await next(request, context: context)
                }
            ]
        }
        _ = try await test.session.get("http://h/")
    }

    @Test func changesRequestAndResponse() async throws {
        let test = TestSession.configured {
            $0.middleware = [
                ClosureMiddleware { request, context, next in
                    var request = request
                    request.fields[.from] = "me"
                    request.target = try TargetURI("http://i/")
                    var response = try await next(request, context: context)
                    response.status = .created
                    response.fields[.server] = "me"
                    response.body = .whole(BodyChunk("mine"))
                    return response
                }
            ]
        }
        let response = try await test.session.get("http://h/")
        #expect(test.transport.requests.first?.fields[.from] == "me")
        #expect(response.target.uri == "http://i/")
        #expect(response.request.target.uri == "http://h/")
        #expect(response.status == .created)
        #expect(response.fields[.server] == "me")
        #expect(try response.string() == "mine")
    }

    @Test func respondsWithoutTheTransport() async throws {
        let test = TestSession.configured {
            $0.middleware = [
                ClosureMiddleware { request, context, _ in
                    ResponseMessage(status: .accepted, body: .whole(BodyChunk("mine")), answering: request, in: context)
                }
            ]
        }
        let response = try await test.session.get("http://h/a")
        #expect(response.status == .accepted)
        #expect(try response.string() == "mine")
        #expect(response.target.uri == "http://h/a")
        #expect(response.metrics.exchanges.isEmpty)
        #expect(test.transport.requests.isEmpty)
        #expect(try await test.session.request("http://h/").serializingString().value == "mine")
        try await assertNothingLeft(test.session)
    }

    @Test func retriesTheRequest() async throws {
        let test = TestSession {
            $0.middleware = [
                ClosureMiddleware { request, context, next in
                    let first = try await next(request, context: context)
                    first.discard()
                    return try await next(request, context: context, because: .retry)
                }
            ]
        } responding: { _ in
            MockResponse(chunks: [BodyChunk("a"), BodyChunk("b")])
        }
        let response = try await test.session.get("http://h/")
        #expect(try response.string() == "ab")
        #expect(response.metrics.exchanges.map(\.cause) == [.first, .retry])
        try await assertNothingLeft(test.session)
    }

    @Test func sendsTwoCopiesConcurrently() async throws {
        let barrier = Barrier()
        let test = TestSession {
            $0.middleware = [
                ClosureMiddleware { request, context, next in
                    try await withThrowingTaskGroup(of: ResponseMessage.self) { group in
                        for number in 0..<2 {
                            var copy = request
                            copy.fields[.from] = "\(number)"
                            group.addTask { [copy] in try await next(copy, context: context, because: .hedge) }
                        }
                        let first = try await group.next()
                        group.cancelAll()
                        return try #require(first)
                    }
                }
            ]
        } responding: { request in
            if request.fields[.from] == "0" { try await barrier.passUnlessCancelled() }
            return MockResponse(body: request.fields[.from] ?? "")
        }
        let response = try await test.session.get("http://h/")
        #expect(try response.string() == "1")
        #expect(response.metrics.exchanges.map(\.cause) == [.hedge, .hedge])
        try await assertNothingLeft(test.session)
    }

    @Test func wrapsTheErrorItThrows() async throws {
        let outside = TestSession.configured { $0.middleware = [Failing()] }
        let inside = TestSession.configured { $0.networkMiddleware = [Failing()] }
        let onLoop = TestSession.configured {
            $0.middleware = [Failing()]
            $0.handlerExecution = .eventLoop
        }
        for test in [outside, inside, onLoop] {
            let error = try #require(await failure { try await test.session.get("http://h/") })
            #expect(error.code == .middlewareFailed)
            #expect(error.underlying is Fault)
            #expect(error.method == .get && error.url == "http://h/")
            #expect(!error.debugDescription.contains("sesame"))
            #expect(test.transport.requests.isEmpty)
            let handle = await test.session.request("http://h/").serializingData().response.error
            #expect(handle?.code == .middlewareFailed)
            let stream = await failure { try await test.session.stream("http://h/") }
            #expect(stream?.code == .middlewareFailed)
            try await assertNothingLeft(test.session)
        }
    }

    @Test func mayThrowApusErrors() async throws {
        let test = TestSession.configured {
            $0.middleware = [ClosureMiddleware { _, _, _ in throw ApusError(.invalidRequest, "not like this") }]
        }
        #expect(await failure { try await test.session.get("http://h/") }?.code == .invalidRequest)
    }

    @Test func readsTheOptionsOfTheRequest() async throws {
        struct Flavour: RequestOption { let name: String }
        let test = TestSession.configured {
            $0.middleware = [
                ClosureMiddleware { [notes] request, context, next in
                    notes.append(request.options[Flavour.self]?.name ?? "none")
                    return try await next(request, context: context)
                }
            ]
        }
        _ = try await test.session.get("http://h/")
        _ = try await test.session.get("http://h/", options: [Flavour(name: "sweet")])
        _ = try await test.session.get("http://h/", options: [Flavour(name: "sweet"), Flavour(name: "sour")])
        #expect(notes.all == ["none", "sweet", "sour"])
    }
}
