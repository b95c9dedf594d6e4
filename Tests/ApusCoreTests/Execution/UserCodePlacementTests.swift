internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Dispatch
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

/// Exchanges run on the executor of their origin, user code elsewhere.
@Suite(.timeLimit(.minutes(5))) struct UserCodePlacementTests {
    private struct LoopTransport: Transport {
        let loop = LoopStandIn()
        let places: LockedList<String>

        var capabilities: TransportCapabilities { [.rawRedirects, .rawContentCoding] }

        func executor(for origin: Origin) -> (any TaskExecutor)? { loop }

        func send(
            _ request: consuming RequestMessage,
            context: RequestContext,
            record: ExchangeRecord
        ) async throws -> ResponseMessage {
            places.append("transport: \(UserCodePlacementTests.place)")
            if request.target.path == "/away" {
                return ResponseMessage(status: .found, fields: [.location: "/"], record: record)
            }
            return ResponseMessage(status: .ok, body: .stream(ScriptedBody(["1", "2"])), record: record)
        }
    }

    private struct PlacedURL: URLConvertible {
        let places: LockedList<String>
        func asURL() throws -> URL {
            places.append("url: \(UserCodePlacementTests.place)")
            guard let url = URL(string: "http://h/") else { throw ApusError(.invalidURL, "no") }
            return url
        }
    }

    private struct PlacedRequest: RequestConvertible {
        let places: LockedList<String>
        func asRequest() throws -> RequestMessage {
            places.append("request: \(UserCodePlacementTests.place)")
            return try RequestMessage("http://h/")
        }
    }

    private struct PlacedSerializer: ResponseSerializer {
        let places: LockedList<String>
        func serialize(request: RequestMessage, response: HTTPResponse, data: Data) throws -> Int {
            places.append("serializer: \(UserCodePlacementTests.place)")
            return data.count
        }
    }

    private struct PlacedDecoder: DataDecoder {
        let places: LockedList<String>
        func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
            places.append("decoder: \(UserCodePlacementTests.place)")
            return try JSONDecoder().decode(type, from: data)
        }
    }

    private struct PlacedCodes: Sequence, Sendable {
        let places: LockedList<String>
        func makeIterator() -> IndexingIterator<[Int]> {
            places.append("codes: \(UserCodePlacementTests.place)")
            return [200].makeIterator()
        }
    }

    static var place: String {
        if TestQueue.current == LoopStandIn.label { return "loop" }
        if DispatchQueue.getSpecific(key: mainKey) == true { return "main" }
        return "elsewhere"
    }

    private static let mainKey: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    private let places = LockedList<String>()

    private func recordingMiddleware(_ name: String) -> ClosureMiddleware {
        ClosureMiddleware { [places] request, context, next in
            places.append("\(name): \(Self.place)")
            let response = try await next(request, context: context)
            places.append("\(name) again: \(Self.place)")
            return response
        }
    }

    private func session(_ handlerExecution: HandlerExecution, requestsInFlight: Int = 256) -> Session {
        var configuration = Session.Configuration()
        configuration.redirectHandler = .modify { [places] request, _, _ in
            places.append("redirect: \(Self.place)")
            return request
        }
        configuration.handlerExecution = handlerExecution
        configuration.requestsInFlight = requestsInFlight
        configuration.middleware = [recordingMiddleware("outside")]
        configuration.networkMiddleware = [recordingMiddleware("inside")]
        return Session(configuration: configuration, transport: LoopTransport(places: places))
    }

    /// Parity: AF-session-queues
    @Test func runsUserCodeOffTheLoopAndExchangesOnIt() async throws {
        let session = session(.concurrent)
        let request = session.request(PlacedURL(places: places))
            .validate(statusCode: PlacedCodes(places: places))
            .validate(
                contentType: { [places] in
                    places.append("types: \(Self.place)")
                    return ["*/*"]
                }()
            )
            .validate { [places] _, _, _ in
                places.append("validator: \(Self.place)")
                return .success(())
            }
        #expect(try await request.serializingResponse(using: PlacedSerializer(places: places)).value == 2)
        let second = session.request(PlacedRequest(places: places))
        #expect(try await second.serializingResponse(using: PlacedSerializer(places: places)).value == 2)
        for place in places.all {
            #expect(place.hasSuffix(place.hasPrefix("transport") ? ": loop" : ": elsewhere"), "\(place)")
        }
        #expect(Set(places.all.map { $0.prefix { $0 != ":" } }).count == 11)
        try await assertNothingLeft(session)
    }

    /// Parity: AF-session-queues
    @Test func runsUserCodeOnTheLoopWhenConfigured() async throws {
        let session = session(.eventLoop)
        let request = session.request("http://h/").validate { [places] _, _, _ in
            places.append("validator: \(Self.place)")
            return .success(())
        }
        #expect(try await request.serializingResponse(using: PlacedSerializer(places: places)).value == 2)
        for place in places.all { #expect(place.hasSuffix(": loop"), "\(place)") }
        #expect(places.count == 7)
    }

    @Test(arguments: [(HandlerExecution.concurrent, "elsewhere"), (.eventLoop, "loop")])
    func callsTheRedirectHandlerWhereUserCodeRuns(handlerExecution: HandlerExecution, place: String) async throws {
        #expect(try await session(handlerExecution).get("http://h/away").status == .ok)
        #expect(places.all.filter { $0.hasPrefix("redirect") } == ["redirect: \(place)"])
        #expect(places.all.filter { $0.hasPrefix("transport") } == ["transport: loop", "transport: loop"])
    }

    @Test func decodesShortBodiesOnTheLoopAndLongOnesElsewhere() async throws {
        let loop = LoopStandIn()
        for (count, place) in [(16 << 10, "decoder: loop"), ((16 << 10) + 1, "decoder: elsewhere")] {
            let places = LockedList<String>()
            let body = "[" + String(repeating: " ", count: count - 2) + "]"
            let transport = RespondingOnLoop(loop: loop, body: body)
            let session = Session(transport: transport)
            let request = session.request("http://h/")
            let task = request.serializingDecodable([Int].self, decoder: PlacedDecoder(places: places))
            #expect(try await task.value == [])
            #expect(places.all == [place])
            try await assertNothingLeft(session)
        }
    }

    private struct RespondingOnLoop: Transport {
        let loop: LoopStandIn
        let body: String

        func executor(for origin: Origin) -> (any TaskExecutor)? { loop }

        func send(
            _ request: consuming RequestMessage,
            context: RequestContext,
            record: ExchangeRecord
        ) async throws -> ResponseMessage {
            ResponseMessage(status: .ok, body: .whole(BodyChunk(body)), record: record)
        }
    }

    /// A slot is handed on from the loop, but the next request is not built there.
    @Test func buildsAQueuedRequestOffTheLoop() async throws {
        let session = session(.concurrent, requestsInFlight: 1)
        let tasks = (0..<5).map { _ in session.request(PlacedURL(places: places)).serializingData() }
        for task in tasks { _ = try await task.value }
        let urls = places.all.filter { $0.hasPrefix("url") }
        #expect(urls == Array(repeating: "url: elsewhere", count: 5))
    }

    @MainActor @Test func runsNothingOfTheChainOnTheMainActor() async throws {
        let session = session(.concurrent)
        #expect(Self.place == "main")
        _ = try await session.get("http://h/")
        for try await _ in try await session.stream("http://h/").body {}
        _ = try await session.request("http://h/").serializingData().value
        #expect(places.all.filter { $0.hasSuffix("main") } == [])
        #expect(places.all.filter { $0.hasPrefix("transport") } == Array(repeating: "transport: loop", count: 3))
        #expect(Self.place == "main")
    }

    @MainActor @Test func runsNothingOfTheChainOnTheMainActorWithoutALoop() async throws {
        var configuration = Session.Configuration()
        configuration.handlerExecution = .eventLoop
        configuration.middleware = [recordingMiddleware("outside")]
        let session = Session(
            configuration: configuration,
            transport: MockTransport { [places] _ in
                places.append("transport: \(Self.place)")
                return MockResponse()
            }
        )
        _ = Self.place
        _ = try await session.get("http://h/")
        _ = try await session.stream("http://h/")
        _ = await session.request("http://h/").serializingData().result
        #expect(places.all.filter { $0.hasSuffix("main") } == [])
        #expect(places.count == 9)
    }

    @Test func returnsToTheLoopAfterWorkOffIt() async throws {
        let loop = LoopStandIn()
        let places = await withTaskExecutorPreference(loop) {
            let before = Self.place
            let inside = await offEventLoop { Self.place }
            return [before, inside, Self.place]
        }
        #expect(places == ["loop", "elsewhere", "loop"])
        let thrown = await failure {
            try await offEventLoop { () async throws(ApusError) -> Int in throw ApusError(.cancelled, "x") }
        }
        #expect(thrown?.code == .cancelled)
    }
}
