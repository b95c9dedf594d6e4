internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

/// A file of a mock server that supports ranges.
struct ServedFile: Sendable {
    /// Forty bytes, all of them different.
    static let content = "0123456789abcdefghijklmnopqrstuvwxyzABCD"
    static let lost = ApusError(.connectionClosed, "it was lost")

    var content = ServedFile.content
    /// The fields that name the version of the file, and others of each response.
    var fields: HTTPFields = [.eTag: "\"1\""]

    /// Returns the file, or its rest if the request has a range and names this version.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - cut: The number of body bytes after which the connection is lost. `nil` sends all. Default: `nil`.
    /// - Returns: The response.
    func response(to request: RequestMessage, cutAfter cut: Int? = nil) -> MockResponse {
        var response = MockResponse(fields: fields)
        var body = content[...]
        if let start = start(of: request) {
            body = body.dropFirst(start)
            response.status = .partialContent
            response.fields[.contentRange] = "bytes \(start)-\(content.count - 1)/\(content.count)"
        }
        response.fields[.contentLength] = "\(body.count)"
        if let cut {
            body = body.prefix(cut)
            response.failure = Self.lost
        }
        response.chunks = Self.chunks(body)
        return response
    }

    private func start(of request: RequestMessage) -> Int? {
        guard let range = request.fields[.range], range.hasPrefix("bytes="), range.hasSuffix("-"),
            let start = Int(range.dropFirst("bytes=".count).dropLast()), start < content.count
        else { return nil }
        let condition = request.fields[.ifRange]
        return condition == nil || condition == fields[.eTag] ?? fields[.lastModified] ? start : nil
    }

    /// Returns a text in chunks of seven bytes.
    static func chunks(_ text: Substring) -> [BodyChunk] {
        var rest = text
        var chunks: [BodyChunk] = []
        while !rest.isEmpty {
            chunks.append(BodyChunk(String(rest.prefix(7))))
            rest = rest.dropFirst(7)
        }
        return chunks
    }
}

extension ServedFile {
    /// Downloads the beginning of the file from `http://h/a`, and leaves its part beside the destination.
    func leavePart(of file: URL, byteCount: Int = 20) async throws {
        let test = TestSession { response(to: $0, cutAfter: byteCount) }
        let destination = DownloadDestination.file(file, options: .resumePartialFile)
        let outcome = await test.session.download("http://h/a", to: destination).serializingURL().response
        #expect(outcome.error?.code == .connectionClosed)
        #expect(outcome.fileURL == nil)
        #expect(try text(file.appendingPathExtension("part")) == String(content.prefix(byteCount)))
        try await assertNothingLeft(test.session)
    }

    /// Calls `work` with a temporary folder, and a destination in it, beside which an earlier download has left its
    /// part.
    func withPart(byteCount: Int = 20, _ work: (_ folder: URL, _ file: URL) async throws -> Void) async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            try await leavePart(of: file, byteCount: byteCount)
            try await work(folder, file)
        }
    }

    /// Returns a session whose responses stop after twenty bytes until the barrier opens or the request is cancelled.
    func held(_ barrier: Barrier, configuring configure: (inout Session.Configuration) -> Void = { _ in }) -> Session {
        var configuration = Session.Configuration()
        configure(&configuration)
        var fields = fields
        fields[.contentLength] = "\(content.count)"
        let chunks = [content.prefix(10), content.dropFirst(10).prefix(10), content.dropFirst(20)].map { String($0) }
        let transport = BodyTransport(fields: fields) { _ in .stream(HeldBody(chunks, before: 2, barrier)) }
        return Session(configuration: configuration, transport: transport)
    }

    /// Downloads twenty bytes of the file from `http://h/a`, cancels the request, and returns its resume data.
    func pause(to destination: DownloadDestination) async throws -> Data? {
        let barrier = Barrier()
        let session = held(barrier)
        let request = session.download("http://h/a", to: destination)
        let task = request.serializingURL()
        await barrier.reached()
        let data = await request.cancelByProducingResumeData()
        #expect(request.resumeData == data)
        #expect(await task.response.error?.code == .cancelled)
        try await assertNothingLeft(session)
        return data
    }
}

/// Returns a destination that continues the part beside it, and keeps its own after a failure.
func resuming(_ file: URL, _ options: DownloadDestination.Options = []) -> DownloadDestination {
    .file(file, options: options.union(.resumePartialFile))
}

extension TestSession {
    /// Returns a session that retries at once. The closure gets the number of each request, from 1.
    static func retrying(
        limit: Int = 2,
        methods: Set<HTTPRequest.Method> = RetryPolicy.idempotentMethods,
        _ respond: @escaping @Sendable (RequestMessage, _ number: Int) throws -> MockResponse
    ) -> TestSession {
        let count = LockedValue(0)
        return TestSession {
            $0.interceptor = RetryPolicy(retryLimit: limit, scale: .zero, methods: methods)
            $0.retryBudget = nil
        } responding: { request in
            try respond(request, count.increased(by: 1))
        }
    }

    /// The values of a field in the requests that have arrived.
    func values(of name: HTTPField.Name) -> [String?] { transport.requests.map { $0.fields[name] } }
}
