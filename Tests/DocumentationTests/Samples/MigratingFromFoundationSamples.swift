internal import Apus
internal import ApusResilience
internal import ApusTesting
internal import Foundation
internal import HTTPTypes

/// The tables of MigratingFromAlamofire.md on the types of Foundation. Only compiled.
enum MigratingFromFoundationSamples {
    private static func chunks() -> AsyncStream<BodyChunk> { AsyncStream { $0.finish() } }

    static func configurations(_ store: CredentialStore, _ transport: MockTransport) -> Session {
        let jar = CookieJar()
        var configuration = Session.Configuration()
        configuration.timeouts.idleRead = .seconds(30)
        configuration.timeouts.idleWrite = .seconds(30)
        configuration.timeouts.request = .seconds(300)
        configuration.pool.connectionsPerOrigin = 4
        configuration.cookies = .jar(jar)
        configuration.cookies = .off
        configuration.cookies = .jar(CookieJar(policy: .none))
        configuration.credentials = CredentialSource(store)
        configuration.tls.minimumVersion = .v13
        configuration.tls.maximumVersion = .v12
        let proxy = ProxyServer(host: "proxy.example.org", port: 3128)
        configuration.proxy = .rule { $0.origin.scheme == .https ? proxy : nil }
        configuration.interceptor = Interceptor(retriers: [OfflineRetrier()])
        configuration.fields[.userAgent] = "Example/1.0"
        configuration.fields[.cacheControl] = "no-cache"
        return Session(configuration: configuration, transport: transport)
    }

    static func requests(
        _ session: Session,
        _ data: Data,
        _ fileURL: URL,
        _ head: HTTPRequest
    ) throws -> [RequestMessage] {
        var message = try RequestMessage("https://api.example.org/users/1", method: .post)
        print(message.target.url as Any, message.fields, message.fields[.contentType] ?? "")
        print(try message.fields[HTTPField.Name(checking: "X-Request-Tag")] ?? "")
        message.target = try TargetURI("https://api.example.org/users/2")
        message.method = .put
        message.fields[.contentType] = "text/plain"
        try message.fields.set(checking: "X-Request-Tag", "blue")
        try message.fields.append(checking: "X-Request-Tag", "green")
        message.fields[.cacheControl] = "no-cache"
        message.body = .bytes(data)
        message.body = .inputStream { InputStream(url: fileURL) }
        message.options[RequestTimeouts.self] = RequestTimeouts(idleRead: .seconds(5), idleWrite: .seconds(5))
        message.options[RequestDeadline.self] = RequestDeadline(.seconds(5))
        message.options[CookieHandling.self] = .off
        return [message, try RequestMessage(head, body: .bytes(data))]
    }

    static func responses(
        _ response: Response,
        _ dataResponse: DataResponse<Data>,
        _ streamed: StreamedResponse,
        _ request: DataRequest,
        _ folder: URL
    ) throws -> [DownloadDestination] {
        print(response.statusCode, response.target.url as Any, response.fields, response.status.reasonPhrase)
        print(dataResponse.response?.headerFields as Any, response.fields[.contentType] ?? "")
        print(try response.fields[HTTPField.Name(checking: "X-Request-Tag")] ?? "")
        print(try response.string(), try response.string(encoding: .isoLatin1))
        print(streamed.expectedLength ?? -1, request.downloadProgress.total ?? -1)
        return [
            DownloadDestination { request, response in
                (folder.appending(path: response.suggestedFileName(for: request.target)), [])
            },
            DownloadDestination.folder(folder),
        ]
    }

    static func errors(_ error: ApusError) -> Bool {
        switch error.code {
        case .hostNotFound, .resolveFailed, .connectFailed: print("Are you offline?")
        case .certificateRejected: print("This server can't be trusted.")
        case _ where error.isTimeout: print("That took too long.")
        case _ where error.isCancelled: break
        default: print(error)
        }
        let codes: [ApusError.Code] = [
            .invalidURL, .connectTimeout, .tlsTimeout, .readTimeout, .writeTimeout, .poolTimeout, .deadlineExceeded,
            .connectionClosed, .sendFailed, .tlsFailed, .tlsVersionUnsupported, .redirectInvalid, .tooManyRedirects,
            .malformedResponse, .responseTooLarge, .emptyBody, .contentCodingFailed, .contentCodingUnsupported,
            .expansionLimit, .bodyTooLarge, .cancelled, .sessionShutDown, .sessionGone, .bodyNotReplayable,
            .requestBodyFailed, .fileUnreadable, .fileUnwritable, .fileExists, .fileInUse, .proxyTimeout,
            .proxyConnectFailed, .proxyRefused, .proxyAuthenticationRequired,
        ]
        print(OfflineRetrier.offlineCodes.union(codes), error.underlying as Any, error.url ?? "")
        if let reason = error.underlying as? CertificateRejection { print(reason) }
        if case .clientCertificateRefused(let alert)? = error.underlying as? TLSFailureReason { print(alert) }
        return error.responseCode == 401
    }

    static func cookies(_ session: Session, _ response: Response, _ folder: URL, _ date: Date) throws {
        let jar = CookieJar()
        let kept = try CookieJar(file: CookieFile(at: folder.appending(path: "cookies.json")))
        let target = response.target
        print(jar, kept, session.cookies?.cookies as Any, session.cookies?.cookies(for: target) as Any)
        let consent = try Cookie(name: "consent", value: "none", domain: "example.org")
        try session.cookies?.set(consent)
        session.cookies?.receive(response.fields, from: target)
        session.cookies?.remove { $0.name == "sid" }
        session.cookies?.remove { $0.created >= date }
        session.cookies?.removeAll()
        print(CookieJar(policy: .filtered { cookie, target in cookie.isSecure }))
        print(session.cookies?.fieldValue(for: target) ?? "")
    }

    static func limits(
        _ jar: CookieJar,
        _ request: DataRequest,
        _ download: DownloadRequest,
        _ fileURL: URL
    ) -> [RequestBody] {
        var configuration = Session.Configuration()
        configuration.pool.connectionsPerOrigin = 16
        configuration.timeouts.poolWait = .seconds(90)
        configuration.timeouts.connect = .seconds(30)
        configuration.timeouts.tls = .seconds(30)
        configuration.limits.collectedBodyBytes = 1 << 30
        configuration.limits.expansionRatio = 1000
        configuration.limits.fieldBytes = 64 << 10
        configuration.redirects = .follow(allowsDowngrade: true)
        configuration.redirects = .follow(crossOriginFields: .everything)
        configuration.cookies = .jar(jar)
        download.validate(statusCode: 200..<600)
        request.responseString(queue: .global()) { print($0.result) }
        print(configuration, DownloadDestination.file(fileURL, options: .removePreviousFile))
        return [.replayable { chunks() }, .once(chunks())]
    }
}
