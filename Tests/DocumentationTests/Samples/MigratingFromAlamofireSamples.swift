internal import Apus
internal import ApusTesting
internal import Dispatch
internal import Foundation
internal import Testing

/// The code of the article on Alamofire about sessions and requests. Line breaks are the same as there.
@Suite(.timeLimit(.minutes(5)))
struct MigratingFromAlamofireSamples {
    private let session = SampleService.session()
    private let url = "https://api.example.org/users/1"
    private let parameters: Parameters = ["page": 2]
    private let fields: RequestFields = [.acceptLanguage: "en"]
    private let data = Data("data".utf8)

    private func chunks() -> AsyncStream<BodyChunk> {
        AsyncStream { stream in
            stream.yield(BodyChunk("a line\r\n"))
            stream.finish()
        }
    }

    /// Only compiled, because it needs a network.
    static func network() async throws {
        let session = Session.default
        session.request("https://api.example.org/users/1")
            .validate()
            .responseDecodable(of: User.self) { print($0.result) }
        let user = try await session.get("https://api.example.org/users/1").validate().decode(User.self)
        print(user.name, Session().requestCounts.inFlight)
    }

    @Test func sessions() async {
        var configuration = Session.Configuration()
        configuration.fields[.userAgent] = "Example/1.0"
        configuration.cookies = .off
        configuration.timeouts.idleRead = .seconds(30)
        configuration.timeouts.request = .seconds(300)
        configuration.pool.connectionsPerOrigin = 4
        configuration.startRequestsImmediately = false
        configuration.handlerExecution = .eventLoop
        configuration.interceptor = RetryPolicy()
        configuration.eventMonitors = [NotificationMonitor()]
        let session = Session(configuration: configuration)
        session.withAllRequests { requests in print(requests.count) }
        #expect(session.activeRequests.isEmpty)
        await session.cancelAllRequests()
        session.cancelAllRequests { print("all are over") }
        await session.shutdown(within: .seconds(30))
        #expect(Session.Configuration.defaultFields[.userAgent] != nil)
        #expect(!ApusVersion.current.isEmpty)
    }

    @Test func requests() async throws {
        let request = session.request(url)
        request.suspend()
        #expect(request.state == .suspended)
        request.uploadProgress { print($0.fractionCompleted) }
        request.downloadProgress(queue: .global()) { print($0.completed, $0.total ?? -1) }
        print(request.uploadProgress.completed, request.downloadProgress.fractionCompleted)
        let progress = [request.makeUploadProgress(), request.makeDownloadProgress()]
        #expect(progress.map(\.totalUnitCount) == [-1, -1])
        request.resume()
        let task = request.serializingDecodable(User.self)
        let user = try await task.value
        #expect(user.name == "Ada")
        for await progress in request.downloadProgress() { print(progress) }
        for await progress in request.uploadProgress() { print(progress) }
        for await progress in request.downloadProgress(bufferingPolicy: .unbounded) { print(progress) }
        print(request.id, request.request?.method ?? .get, request.response?.status ?? .ok, request.retryCount)
        for exchange in request.metrics.exchanges { print(exchange.cause, exchange.timeToFirstByte ?? .zero) }
        print(request.description, request.data?.count ?? 0)
        #expect(request.error == nil)
        request.cancel()
        await look(at: task)
    }

    private func look(at task: DataTask<User>) async {
        let response = await task.response
        let result = await task.result
        task.suspend()
        task.resume()
        task.cancel()
        #expect(response.value?.id == 1)
        #expect(throws: Never.self) { try result.get() }
    }

    @Test func requestVariants() async throws {
        let stamp: RequestModifier = { $0.fields[.from] = "swift@example.org" }
        let put = session.request(url, method: .put, body: .bytes(data))
        let typed = session.request(url, method: .post, parameters: parameters, encoder: .json, fields: fields)
        let modified = session.request(url, parameters: parameters, modifier: stamp)
        let routed = session.request(Router.user(id: 1))
        for request in [put, typed, modified, routed] {
            #expect(await request.serializingData(automaticallyCancelling: false).response.error == nil)
        }
        #expect(modified.request?.target.path == "/users/1?page=2")
        #expect(try await session.send(Router.user(id: 1)).status == .ok)
        let message = try RequestMessage(url, method: .put, fields: fields, body: .bytes(data))
        #expect(message.method == .put)
        #expect(message.fields[.acceptLanguage] == "en")
        let components = try #require(URLComponents(string: url))
        #expect(try url.asTarget() == components.asTarget())
        #expect(try url.asURL() == components.asURL())
    }

    @Test func streams() async throws {
        let url = "https://api.example.org/events"
        let response = try await session.stream(url)
        for try await chunk in response.body { print(Data(chunk).count, String(chunk)) }
        #expect(response.status == .ok)
        print(response.fields.count, response.metrics.duration)
        let line = Data(#"{"id": 1, "name": "Ada"}"#.utf8)
        #expect(try JSONContentDecoder().decode(User.self, from: line).id == 1)
    }

    @Test func uploads() async throws {
        let session = Session(transport: MockTransport { _ in MockResponse(body: "fine") })
        let fileURL = URL.temporaryDirectory.appending(path: "apus-\(UUID().uuidString).png")
        try data.write(to: fileURL)
        defer { try? FileManager.default.removeItem(at: fileURL) }
        var form = MultipartFormData()
        form.append("Ada", withName: "name")
        let uploads: [UploadRequest] = [
            session.upload(data, to: url),
            session.upload(fileURL, to: url, method: .put),
            session.upload(.replayable { chunks() }, to: url),
            session.upload(multipartFormData: form, to: url),
            session.upload(multipartFormData: { $0.append("Ada", withName: "name") }, to: url),
            session.upload(multipartFormData: form, to: url, encodingMemoryThreshold: 1 << 20),
        ]
        for upload in uploads { #expect(await upload.serializingData().response.error == nil) }
        let contents = [RequestBody.bytes(data), try RequestBody.file(fileURL), RequestBody.once(chunks())]
        #expect(contents.map(\.length) == [4, 4, nil])
    }

    @Test func downloads() async throws {
        let folder = URL.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let fileURL = folder.appending(path: "user.json")
        let options: DownloadDestination.Options = [.createIntermediateDirectories, .removePreviousFile]
        let download = session.download(url, to: .file(fileURL, options: options))
        #expect(try await download.serializingURL().value == fileURL)
        #expect(download.fileURL == fileURL)
        let own = DownloadDestination { request, _ in (folder.appending(path: request.target.path), options) }
        let task = session.download(url, to: own).serializingDownload(using: URLResponseSerializer())
        #expect(try await task.value.lastPathComponent == "1")
        session.download(url, to: .temporary)
            .cancel()
        session.download(url, to: .folder(folder, options: .removePreviousFile))
            .cancel()
    }
}
