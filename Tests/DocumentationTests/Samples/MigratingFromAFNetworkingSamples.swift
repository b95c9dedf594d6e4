internal import Apus
internal import ApusAFNetworking
internal import ApusDocuments
internal import ApusTesting
internal import Dispatch
internal import Foundation
internal import HTTPTypes
internal import Testing

/// Counts bytes.
private struct ByteCounter: AFURLResponseSerialization {
    func responseObject(for response: HTTPResponse, data: Data) -> AFSerializedResponse<Int> {
        AFSerializedResponse(data.count)
    }
}

/// Adds no parameters to requests.
private struct NoParameters: AFURLRequestSerialization {
    func request(
        bySerializing request: RequestMessage,
        withParameters parameters: AFParameters?
    ) throws -> RequestMessage {
        request
    }
}

/// An activity indicator.
private struct Indicator: EventMonitor {
    func requestDidResume(_ request: RequestSummary) {}
    func requestDidFinish(_ request: RequestSummary) {}
}

/// The right columns of the tables in the article on AFNetworking. Line breaks are the same as there.
@Suite(.timeLimit(.minutes(5)))
struct MigratingFromAFNetworkingSamples {
    private let session = SampleService.session()
    private let url = "https://api.example.org/users"
    private let parameters: Parameters = ["page": 2]
    private let headers: RequestFields = [.acceptLanguage: "en"]
    private let folder = FileManager.default.temporaryDirectory
    private let data = Data("data".utf8)

    private func chunks() -> AsyncStream<BodyChunk> {
        AsyncStream { stream in
            stream.yield(BodyChunk("a line\r\n"))
            stream.finish()
        }
    }

    @Test func managers() throws {
        let manager = HTTPSessionManager(baseURL: URL(string: "https://api.example.org/v1"))
        manager.requestSerializer = AFJSONRequestSerializer()
        #expect(manager.baseURL?.absoluteString == "https://api.example.org/v1/")
        manager.responseSerializer = AFXMLDocumentResponseSerializer()
        #expect(HTTPSessionManager().baseURL == nil)
        let (baseURL, configuration) = (URL(string: url), SessionConfiguration())
        #expect(HTTPSessionManager(baseURL: baseURL, configuration: configuration).baseURL?.path() == "/users/")
        let policy = AFSecurityPolicy.default
        try manager.setSecurityPolicy(policy)
        #expect(manager.copy().baseURL == manager.baseURL)
        _ = try manager.session
        #expect((manager.tasks + manager.dataTasks + manager.uploadTasks + manager.downloadTasks).isEmpty)
        manager.completionQueue = DispatchQueue(label: "answers")
        manager.completionGroup = DispatchGroup()
        manager.invalidateSession(cancelingTasks: true, resetSession: false)
    }

    @Test func blocks() {
        let manager = HTTPSessionManager()
        manager.setSessionDidBecomeInvalidBlock { print($0) }
        manager.setTaskWillPerformHTTPRedirectionBlock { _, _, request in request }
        manager.setTaskDidSendBodyDataBlock { _, bytes, sent, total in print(bytes, sent, total ?? -1) }
        manager.setTaskDidCompleteBlock { task, error in print(task, error?.code ?? "fine") }
        manager.setTaskDidFinishCollectingMetricsBlock { _, metrics in print(metrics.exchanges.count) }
        manager.setDataTaskDidReceiveResponseBlock { _, response in response.status == .ok ? .allow : .cancel }
        manager.setDataTaskDidReceiveDataBlock { _, data in print(data.count) }
        let folder = folder
        manager.setDownloadTaskDidFinishDownloadingBlock { _, suggested in
            folder.appending(path: suggested.lastPathComponent)
        }
        manager.setDownloadTaskDidWriteDataBlock { _, bytes, written, total in print(bytes, written, total ?? -1) }
    }

    static func progress(of task: SessionTask, _ manager: HTTPSessionManager) {
        print(manager.uploadProgress(for: task), manager.downloadProgress(for: task))
        print(task.downloadProgress.fractionCompleted, task.state)
        print(task.makeUploadProgress(), task.makeDownloadProgress())
    }

    @Test func calls() async throws {
        var statuses: [HTTPResponse.Status] = []
        statuses.append(try await session.get(url, parameters: parameters, fields: headers).status)
        statuses.append(try await session.head(url, parameters: parameters, fields: headers).status)
        statuses.append(
            try await session.post(url, parameters: parameters, encoder: .urlEncodedForm, fields: headers).status
        )
        statuses.append(
            try await session.put(url, parameters: parameters, encoder: .urlEncodedForm, fields: headers).status
        )
        statuses.append(
            try await session.patch(url, parameters: parameters, encoder: .urlEncodedForm, fields: headers).status
        )
        statuses.append(try await session.delete(url, parameters: parameters, fields: headers).status)
        #expect(statuses == [.ok, .ok, .created, .ok, .ok, .ok])
        let refused = try await session.get("https://api.example.org/old", options: [RedirectPolicy.refuse])
        #expect(refused.status == .movedPermanently)
        let picture = try await session.get(url, fields: [.accept: "image/*"]).validate().data
        let page = try await session.get(url).validate().string()
        #expect(picture == Data(page.utf8))
        #expect(session.requestCounts.inFlight == 0)
        _ = Indicator()
    }

    @Test func handles() async throws {
        session.request(url, parameters: parameters, fields: headers).validate().responseJSON { print($0.result) }
            .cancel()
        let options = session.request(url, method: .options, parameters: parameters, fields: headers)
        #expect(await options.serializingData().response.error == nil)
        let message = try RequestMessage(url)
        session.request(message).downloadProgress { print($0.fractionCompleted) }.responseData { print($0.result) }
            .cancel()
        #expect(try await session.send(message).status == .ok)
        let response = try await session.stream(url)
        for try await chunk in response.body { print(chunk.count) }
    }

    @Test func transfers() async throws {
        let session = Session(transport: MockTransport { _ in MockResponse(body: "fine") })
        let fileURL = folder.appending(path: "apus-\(UUID().uuidString).png")
        defer { try? FileManager.default.removeItem(at: fileURL) }
        _ = try await session.download(url, to: fileURL)
        var form = MultipartFormData()
        form.append("Ada", withName: "name")
        let upload = session.upload(multipartFormData: form, to: url).uploadProgress { print($0.fractionCompleted) }
        #expect(await upload.serializingData().response.error == nil)
        let uploads = [
            session.upload(fileURL, to: url, method: .put),
            session.upload(Data("text".utf8), to: url),
            session.upload(.replayable { chunks() }, to: url),
        ]
        for upload in uploads { #expect(await upload.serializingData().response.error == nil) }
        session.download(url, to: .folder(folder, options: .removePreviousFile))
            .cancel()
    }

    @Test func notifications() {
        let names = [
            Notification.Name.AFNetworkingTaskDidResume,
            Notification.Name.AFNetworkingTaskDidSuspend,
            Notification.Name.AFNetworkingTaskDidComplete,
            Notification.Name.AFURLSessionDidInvalidate,
            Notification.Name.AFURLSessionDownloadTaskDidMoveFileSuccessfully,
            Notification.Name.AFURLSessionDownloadTaskDidFailToMoveFile,
        ]
        let keys = [
            AFNetworkingKeys.responseData, AFNetworkingKeys.serializedResponse, AFNetworkingKeys.responseSerializer,
            AFNetworkingKeys.assetPath, AFNetworkingKeys.error, AFNetworkingKeys.metrics,
        ]
        #expect(Set(names).count == 6)
        #expect(Set(keys).count == 6)
    }

    @Test func requestSerializers() throws {
        var serializer = AFHTTPRequestSerializer()
        serializer.httpRequestHeaders[.cacheControl] = "no-cache"
        serializer.httpRequestHeaders[.cookie] = "theme=dark"
        serializer.timeoutInterval = .seconds(30)
        serializer.deadline = .seconds(300)
        try serializer.setValue("blue", forHTTPHeaderField: "X-Request-Tag")
        #expect(serializer.value(forHTTPHeaderField: "X-Request-Tag") == "blue")
        try serializer.setAuthorizationHeaderField(withUsername: "ada", password: "secret")
        serializer.clearAuthorizationHeader()
        serializer.httpMethodsEncodingParametersInURI = [.get, .head]
        serializer.queryStringSerialization = { _, parameters in
            try parameters.dictionary.keys.sorted().joined(separator: "&")
        }
        serializer.queryStringSerialization = nil
        #expect(try serializer.request(withMethod: .post, urlString: url, parameters: parameters).body.length == 6)
        #expect(try QueryStringSerializer.string(from: parameters) == "page=2")
        #expect(try QueryStringSerializer.string(from: ["q": "a & b"]) == "q=a%20%26%20b")
        #expect(AFJSONRequestSerializer(writingOptions: .sortedKeys).timeoutInterval == nil)
        #expect(AFPropertyListRequestSerializer(format: .binary).timeoutInterval == nil)
        #expect(try NoParameters().request(bySerializing: RequestMessage(url), withParameters: nil).body.isNone)
    }

    @Test func forms() async throws {
        let fileURL = folder.appending(path: "apus-\(UUID().uuidString).png")
        try data.write(to: fileURL)
        defer { try? FileManager.default.removeItem(at: fileURL) }
        let serializer = AFHTTPRequestSerializer()
        let short =
            try serializer.multipartFormRequest(withMethod: .post, urlString: url, parameters: parameters) {
                $0.appendPart(withForm: data, name: "comment")
            }
        #expect(short.body.length != nil)
        let request = try serializer.multipartFormRequest(withMethod: .post, urlString: url) { form in
            try form.appendPart(withFileURL: fileURL, name: "portrait")
            try form.appendPart(withFileURL: fileURL, name: "portrait", fileName: "ada.png", mimeType: "image/png")
            try form.appendPart(withStream: chunks(), name: "log", fileName: "log", length: 8, mimeType: "text/plain")
            try form.appendPart(withFileData: data, name: "icon", fileName: "i.png", mimeType: "image/png")
            form.appendPart(withForm: data, name: "comment")
            try form.appendPart(withHeaders: [.contentType: "text/plain"], body: data)
            form.throttleBandwidth(
                withPacketSize: RequestBody.suggestedPacketSize,
                delay: RequestBody.suggestedPacketDelay
            )
            form.throttleBandwidth(withPacketSize: 4096, delay: .milliseconds(50))
        }
        _ = try await serializer.request(withMultipartFormRequest: request, writingStreamContentsToFile: fileURL)
        #expect(try Data(contentsOf: fileURL).count == request.body.length.map(Int.init))
    }

    @Test func responseSerializers() throws {
        var json = AFJSONResponseSerializer(readingOptions: .fragmentsAllowed)
        json.readingOptions = []
        json.acceptableStatusCodes?.insert(404)
        json.acceptableContentTypes?.insert("text/html")
        json.removesKeysWithNullValues = true
        let response = HTTPResponse(status: .notFound, headerFields: [.contentType: "text/html"])
        try json.validate(response, data: data)
        #expect(json.responseObject(for: response, data: data).error?.code == .decodingFailed)
        let value: JSONValue = ["a": nil]
        #expect(value.removingNulls() == [:])
        #expect(AFHTTPResponseSerializer().parses(data) && ByteCounter().parses(data))
        #expect(AFHTTPResponseSerializer(acceptableContentTypes: ["image/*"]).acceptableContentTypes?.count == 1)
        let events: XMLEventParser? = AFXMLParserResponseSerializer().responseObject(for: response, data: data).object
        let tree: XMLTree? = AFXMLDocumentResponseSerializer(limits: XMLLimits()).responseObject(
            for: response,
            data: data
        ).object
        let list: PropertyListValue? = AFPropertyListResponseSerializer(formats: [.binary]).responseObject(
            for: response,
            data: data
        ).object
        #expect(events == nil && tree == nil && list == nil)
    }

    @Test func errors() async throws {
        let error = await #expect(throws: ApusError.self) {
            try await session.get("https://api.example.org/users/0").validate()
        }
        let refusal = try #require(error)
        Self.look(at: refusal)
        #expect(refusal.isValidation)
    }

    static func look(at error: ApusError) {
        print(error.method ?? .get, error.url ?? "", error.response ?? "no response", error.data ?? Data())
        if error.isValidation { print("refused") }
        if error.code == .parameterEncodingFailed { print("not sent") }
        if error.code == .unacceptableContentType { print("another type") }
        if error.phase == .resolve || error.phase == .connect { print("not reached") }
    }

    @Test func policies() throws {
        let authority = Data([0x30])
        var policy = AFSecurityPolicy(pinningMode: .certificate, pinnedCertificates: [authority])
        #expect(policy.pinningMode == .certificate)
        let modes: [AFSecurityPolicy.PinningMode] = [.none, .publicKey, .certificate]
        #expect(modes.count == 3)
        #expect(policy.pinnedCertificates == [authority])
        policy.allowInvalidCertificates = true
        policy.validatesDomainName = false
        #expect(policy != AFSecurityPolicy.default)
        #expect(try AFSecurityPolicy(pinningMode: .certificate).pinnedCertificates.isEmpty)
        #expect(try AFSecurityPolicy.certificates(in: .main).isEmpty)
        var configuration = SessionConfiguration()
        configuration.trust.roots = .file("/etc/client/authority.pem")
        #expect(configuration.trust.roots != .system)
    }
}

extension AFURLResponseSerialization {
    /// Returns whether the serializer creates an object from a plain response.
    fileprivate func parses(_ data: Data) -> Bool {
        responseObject(for: HTTPResponse(status: .ok), data: data).object != nil
    }
}
