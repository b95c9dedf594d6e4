internal import ApusAlamofire
internal import ApusCore
internal import ApusTestServer
internal import Foundation
internal import HTTPTypes
internal import Testing

/// A router as programs have it.
private enum Router: URLRequestConvertible {
    case read(origin: String, id: Int)
    case create(origin: String, Echo.Person)

    var method: HTTPMethod {
        switch self {
        case .read: return .get
        case .create: return .post
        }
    }

    func asURLRequest() throws -> RequestMessage {
        switch self {
        case .read(let origin, let id):
            return try RequestMessage(url: "\(origin)/get?id=\(id)", method: method)
        case .create(let origin, let person):
            var request = try RequestMessage(url: "\(origin)/post", method: method, headers: ["X-Tag": "blue"])
            request.timeoutInterval = 30
            return try JSONParameterEncoder.default.encode(person, into: request)
        }
    }
}

/// Code as programs have it, against a server.
@Suite(.timeLimit(.minutes(5)))
struct AFTests {
    /// Parity: AF-session-default
    @Test func sendsWithTheDefaultSession() async throws {
        #expect(AF === Session.default)
        try await TestServer.with { server in
            let result = Deferred<AFDataResponse<Echo>>()
            AF.request(server.url("/get")).validate().responseDecodable(of: Echo.self) { response in
                result.fulfill(response)
            }
            let response = await result.value
            #expect(response.value?.method == "GET")
            #expect(response.error == nil)
            #expect(response.response?.statusCode == 200)
            #expect(response.response?.headers["content-type"] == "application/json")
            #expect(response.response?.value(forHTTPHeaderField: "X-Absent") == nil)
            #expect(response.data?.isEmpty == false)
            #expect(response.debugDescription.contains("/get"))
        }
    }

    /// Parity: AF-session-names
    @Test func passesValuesThroughACustomLayer() async throws {
        func load(_ request: any URLRequestConvertible, with session: Session) async -> AFResult<Echo> {
            await session.request(request).validate().serializingDecodable(Echo.self).result
        }
        func report(_ error: AFError) -> Int? { error.responseCode }
        try await withServer { server, session in
            let read = try await load(Router.read(origin: server.origin, id: 3), with: session).get()
            #expect(read.args == ["id": "3"])
            let person = Echo.Person(name: "Ada", age: 36)
            let created = try await load(Router.create(origin: server.origin, person), with: session).get()
            #expect(created.method == "POST" && created.json == person)
            #expect(created.headers["X-Tag"] == "blue")
            let missing = try RequestMessage(url: server.url("/status/404"), method: .get)
            guard case .failure(let error) = await load(missing, with: session) else {
                Issue.record("the response was accepted")
                return
            }
            #expect(report(error) == 404)
            #expect(error.isResponseValidationError && !error.isExplicitlyCancelledError)
        }
    }

    @Test func buildsRequestsFromTheirTypes() throws {
        let router = Router.read(origin: "http://h", id: 1)
        #expect(router.urlRequest?.url?.absoluteString == "http://h/get?id=1")
        #expect(Router.read(origin: "no origin", id: 1).urlRequest == nil)
        #expect(try router.asRequest().method == .get)
        let encoded = try URLEncoding.default.encode(router, with: ["page": 2, "tag": "a b"])
        #expect(encoded.target.path == "/get?id=1&page=2&tag=a%20b")
        let unchanged = try JSONEncoding.default.encode(router, with: nil)
        #expect(unchanged.body.isNone)
    }

    @Test func createsASessionWithItsParts() {
        var configuration = Session.Configuration()
        configuration.startRequestsImmediately = false
        configuration.interceptor = .connectionLostRetryPolicy
        let policy = RetryPolicy(
            retryLimit: 4,
            exponentialBackoffBase: 3,
            exponentialBackoffScale: 0.25,
            retryableHTTPStatusCodes: [503]
        )
        #expect(policy.base == 3 && policy.scale == .milliseconds(250) && policy.statuses == [503])
        #expect(policy.methods == RetryPolicy.idempotentMethods)
        let session = Session(configuration: configuration, interceptor: policy, eventMonitors: [NotificationMonitor()])
        #expect((session.configuration.interceptor as? RetryPolicy)?.retryLimit == 4)
        #expect(session.configuration.eventMonitors.count == 1)
        #expect(!session.configuration.startRequestsImmediately)
        #expect(Session(startRequestsImmediately: true).configuration.startRequestsImmediately)
        let handler = Session(configuration: configuration, redirectHandler: .doNotFollow)
        #expect(handler.configuration.redirectHandler != nil)
        #expect(handler.configuration.interceptor is ConnectionLostRetryPolicy)
    }
}
