internal import Apus
internal import ApusTesting
internal import Foundation
internal import Testing

enum Router: RequestConvertible {
    case user(id: Int)

    func asRequest() throws -> RequestMessage {
        switch self {
        case .user(let id): try RequestMessage("https://api.example.org/users/\(id)")
        }
    }
}

struct Stamp: Middleware {
    func handle(
        _ request: consuming RequestMessage,
        context: RequestContext,
        next: Next
    ) async throws -> ResponseMessage {
        var request = request
        request.fields[.from] = "swift@example.org"
        return try await next(request, context: context)
    }
}

/// The code of the documentation comments.
@Suite(.timeLimit(.minutes(5)))
struct CommentSamples {
    private let session = SampleService.session { $0.middleware = [Stamp()] }

    @Test func handlesAndTasks() async throws {
        session.request("https://api.example.org/users/1")
            .validate()
            .responseDecodable(of: User.self) { response in
                print(response.result)
            }
        let url = "https://api.example.org/users/1"
        let user = try await session.request(url).validate().serializingDecodable(User.self).value
        #expect(user.name == "Ada")
    }

    @Test func directCalls() async throws {
        let user = try await session.get("https://api.example.org/users/1").validate().decode(User.self)
        #expect(user.id == 1)
        let url = "https://api.example.org/old"
        let response = try await session.get(url, options: [RedirectPolicy.refuse, RequestDeadline(.seconds(3))])
        #expect(response.request.fields[.from] == nil)
        #expect(try await session.send(Router.user(id: 1)).decode(User.self).id == 1)
    }

    @Test func bodies() async throws {
        var data = Data()
        let response = try await session.stream("https://api.example.org/events")
        for try await chunk in response.body {
            data.append(Data(chunk))
        }
        #expect(data.count == 13)
    }

    @Test func sessions() {
        var configuration = Session.Configuration()
        configuration.timeouts.request = .seconds(30)
        configuration.pool.connectionsPerOrigin = 16
        let session = Session(configuration: configuration)
        #expect(session.configuration.timeouts.request == .seconds(30))
    }

    /// Only compiled, because it needs a network.
    static func network() async throws {
        let session = Session()
        let response = try await session.get("https://example.org/").validate().string()
        await session.shutdown()
        print(response)
    }

    static func waterfall(_ session: Session) async throws {
        let first = try await session.get("https://example.org/")
        let second = try await session.get("https://example.org/style.css")
        print(Waterfall([first.metrics, second.metrics]).text(columns: 80))
    }

    static func stream(_ session: Session) async throws {
        let response = try await session.stream("https://example.org/large")
        for try await chunk in response.body {
            print(chunk.count)
        }
    }

    @Test func clocks() async throws {
        let clock = ManualClock()
        var configuration = Session.Configuration()
        configuration.time = clock
        let session = SampleService.session(clock: clock) { $0.timeouts.request = .seconds(30) }
        async let response = session.request("https://api.example.org/slow").serializingData().response
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(30))
        #expect(await response.error?.code == .deadlineExceeded)
    }

    @Test func mocks() async throws {
        let transport = MockTransport { request in
            MockResponse(status: 200, fields: [.contentType: "application/json"], body: #"{"name":"swift"}"#)
        }
        let session = Session(transport: transport)
        #expect(try await session.get("https://api.example.org/").string() == #"{"name":"swift"}"#)
    }
}
