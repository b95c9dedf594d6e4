internal import Apus
internal import ApusTesting
internal import HTTPTypes
internal import Testing

struct SameHost: RedirectHandler {
    func redirect(
        to request: RequestMessage,
        after response: HTTPResponse,
        context: RequestContext
    ) async throws -> RequestMessage? {
        request.target.origin.host.hasSuffix("example.org") ? request : nil
    }
}

/// The code of the guide to redirects, and of the comments on them.
@Suite(.timeLimit(.minutes(5)))
struct RedirectsSamples {
    private let session = SampleService.session()

    private func get(_ path: String, _ configuration: Session.Configuration) async throws -> Response {
        try await SampleService.session { $0.redirectHandler = configuration.redirectHandler }
            .get("https://api.example.org\(path)")
    }

    @Test func policies() {
        var configuration = Session.Configuration()
        configuration.redirects = .follow(limit: 5)
        #expect(configuration.redirects.limit == 5)
    }

    @Test func sessions() async throws {
        var configuration = Session.Configuration()
        configuration.redirectHandler = .modify { request, response, context in
            request.target.origin.host.hasSuffix("example.org") ? request : nil
        }
        #expect(try await get("/old", configuration).status == .ok)
        configuration.redirectHandler = .modify { request, response, context in
            guard request.target.origin.host == "downloads.example.org" else { return request }
            var request = request
            request.fields[.authorization] = "Bearer mF_9.B5f-4.1JqM"
            return request
        }
        #expect(try await get("/old", configuration).status == .ok)
        configuration.redirectHandler = SameHost()
        #expect(try await get("/old", configuration).status == .ok)
    }

    @Test func closures() async throws {
        var configuration = Session.Configuration()
        configuration.redirectHandler = .modify { request, response, context in
            var request = request
            request.fields[.from] = "swift@example.org"
            return request
        }
        #expect(try await get("/old", configuration).redirects.count == 1)
    }

    @Test func handles() async {
        let request = session.request("https://api.example.org/old").redirect(using: .doNotFollow)
        let response = await request.serializingData().response
        print(response.response?.headerFields[.location] ?? "")
        #expect(response.response?.status == .movedPermanently)
    }

    @Test func singleRequests() async throws {
        let old = try await session.get("https://api.example.org/old", options: [Redirector.doNotFollow])
        print(old.status.code, old.fields[.location] ?? "")
        let login = try await session.get("https://api.example.org/old", options: [Redirector.doNotFollow])
        print(login.fields[.location] ?? "")
        #expect(old.fields[.location] == "/users/1")
    }

    @Test func redirects() async throws {
        let response = try await session.get("https://api.example.org/old")
        for redirect in response.redirects {
            print(redirect.status.code, redirect.target, redirect.fields[.location] ?? "")
        }
        print(response.target)
        #expect(response.redirects.map(\.target.path) == ["/old"])
    }
}
