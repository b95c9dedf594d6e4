internal import Apus
internal import Foundation
internal import HTTPTypes
internal import Logging

/// The code of the comments on the options, the fields and the responses of a request.
enum RequestSettingsSamples {
    static func options(_ session: Session) async throws {
        let url = "https://api.example.org/users"
        let response = try await session.get(url, options: [RedirectPolicy.refuse, RequestDeadline(.seconds(3))])
        print(response.status)
    }

    static func timeouts(_ session: Session) async throws {
        let timeouts = RequestTimeouts(idleRead: .unlimited, poolWait: .seconds(5))
        let response = try await session.get("https://example.org/report", options: [timeouts])
        print(response.status)
    }

    static func priority(_ session: Session, _ url: URL) async throws {
        let thumbnail = try await session.get(url, options: [RequestPriority.low])
        print(thumbnail.status)
    }

    static func responsePriority(_ session: Session, _ url: URL) async throws {
        let preview = try await session.get(url, options: [ResponsePriority(urgency: 6, isIncremental: true)])
        print(preview.status)
    }

    static func digest(_ session: Session, _ archive: URL) async throws {
        let digest = try ExpectedDigest.sha256("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        let file = try await session.download("https://example.org/archive.zip", to: archive, options: [digest])
        print(file.byteCount, digest)
    }

    static func transferRates(_ session: Session, _ url: URL, _ body: RequestBody) async throws {
        var configuration = Session.Configuration()
        configuration.transferRate = TransferRateLimit(download: 4 << 20, upload: 1 << 20)
        print(configuration)
        let slowly = TransferRateLimit(upload: 64 << 10)
        let response = try await session.put(url, body: body, options: [slowly])
        print(response.status)
    }

    static func prepared(_ session: Session) async throws {
        try await session.prepare("https://api.example.org", count: 2)
    }

    static func probes() -> Session.Configuration {
        var configuration = Session.Configuration()
        configuration.tcpKeepAlive?.idle = .seconds(60)
        return configuration
    }

    static func protocols() -> Session.Configuration {
        var configuration = Session.Configuration()
        configuration.protocols = .http1
        return configuration
    }

    static func pings() -> Session.Configuration {
        var configuration = Session.Configuration()
        configuration.http2.pingInterval = .seconds(10)
        return configuration
    }

    static func userAgent() throws -> Session.Configuration {
        var configuration = Session.Configuration()
        configuration.userAgent = try UserAgent(product: "MyApp", version: "1.2")
        return configuration
    }

    static func adapter() -> Adapter {
        let slow = Adapter.synchronous { request, context in
            guard request.target.path.hasPrefix("/reports") else { return }
            request.options[RequestDeadline.self] = RequestDeadline(.seconds(300))
        }
        return slow
    }

    static func fields(_ session: Session, token: String, tag: String) async throws {
        let url = "https://api.example.org/users"
        let pages = try await session.get(url, fields: ["X-Request-Tag": tag, .accept: "text/html"])
        let users = try await session.get(url, fields: [.authorization(bearerToken: token), .accept("text/csv")])
        print(pages.status, users.status)
    }

    static func names(token: String) {
        let named: () -> RequestFields = {
            let fields: RequestFields = ["X-Request-Tag": "blue", .accept: "text/html"]
            return fields
        }
        let fields: RequestFields = [.authorization(bearerToken: token), .accept("text/html"), .init("X-Tag", "blue")]
        print(named(), fields, RequestFieldName.tag)
    }

    static func validation(_ session: Session) async throws {
        let url = "https://api.example.org/users"
        let response = try await session.get(url, options: [ResponseValidation.success])
        print(response.status)
    }

    static func disposition(_ session: Session) {
        let request = session.request("https://example.org/report").onHTTPResponse { response in
            response.headerFields[.contentType] == "application/pdf" ? .allow : .cancel
        }
        request.resume()
    }

    static func heads(_ request: DataRequest) async {
        for await response in request.httpResponses() { print(response.status) }
    }

    static func logger(_ session: Session, _ logger: Logger) async throws {
        let url = "https://api.example.org/users"
        let response = try await session.get(url, options: [RequestLogger(logger)])
        print(response.status)
    }

    static func members() {
        var configuration = Session.Configuration()
        configuration.interceptor = .retryPolicy
        configuration.middleware = [.deflateCompressor, .gzipCompressor]
    }

    static func cancellation(_ session: Session) async {
        await session.cancelAllRequests { $0.options[RequestLabel.self]?.name == "search" }
    }
}

extension RequestFieldName {
    static let tag: RequestFieldName = "X-Request-Tag"
}
