internal import Apus
internal import ApusTesting
internal import Dispatch
internal import Foundation
internal import Testing

/// The code about stream requests. Line breaks are the same as there.
@Suite(.timeLimit(.minutes(5)))
struct DataStreamSamples {
    private let session = Session(
        transport: MockTransport { request in
            guard request.target.path == "/users.ndjson" else {
                return MockResponse(chunks: [BodyChunk("first\nsec"), BodyChunk("ond\n")])
            }
            let ada = #"{"id": 1, "name": "Ada"}"#
            let eve = #"{"id": 2, "name": "Eve"}"#
            return MockResponse(chunks: [BodyChunk("\(ada)\n\(eve.prefix(9))"), BodyChunk("\(eve.dropFirst(9))\n")])
        }
    )

    @Test func strings() async {
        session.streamRequest("https://api.example.org/log")
            .validate()
            .responseStreamString { stream in
                switch stream.event {
                case .stream(let result): print(result.get())
                case .complete(let completion): print(completion.error?.detail ?? "done")
                }
            }
        await session.shutdown()
    }

    @Test func values() async {
        session.streamRequest("https://api.example.org/users.ndjson").responseStreamDecodable(of: User.self) { stream in
            if let user = stream.value { print(user.name) }
        }
        await session.shutdown()
    }

    @Test func parameters() async {
        session.streamRequest("https://api.example.org/log", parameters: ["level": "warning"])
            .responseStreamString { stream in
                print(stream.value ?? "")
            }
        await session.shutdown()
    }

    @Test func serializers() async {
        let url = "https://api.example.org/log"
        struct ByteCounter: DataStreamSerializer {
            func serialize(_ data: Data) -> Int { data.count }
        }
        session.streamRequest(url).responseStream(using: ByteCounter()) { stream in
            print(stream.value ?? 0)
        }
        await session.shutdown()
    }

    @Test func limits() {
        let url = "https://api.example.org/log"
        let feed = session.streamRequest(url, options: [ChunksInFlight(4)])
        #expect(feed.options[ChunksInFlight.self]?.count == 4)
    }

    @Test func sequences() async {
        let request = session.streamRequest("https://api.example.org/log")
        for await stream in request.streamTask().streamingStrings() {
            if let text = stream.value { print(text) }
            if let completion = stream.completion { print(completion.error?.detail ?? "done") }
        }
        #expect(request.isFinished)
    }

    @Test func decodedSequences() async {
        let task = session.streamRequest("https://api.example.org/users.ndjson").validate().streamTask()
        for await stream in task.streamingDecodables(User.self) {
            if let user = stream.value { print(user.name) }
        }
    }

    /// The last column of the table about streams in the article on Alamofire.
    @Test func migration() async throws {
        let url = "https://api.example.org/log"
        let queue = DispatchQueue(label: "samples")
        struct ByteCounter: DataStreamSerializer {
            func serialize(_ data: Data) -> Int { data.count }
        }
        let feed = session.streamRequest(url)
        feed.suspend()
        feed.validate().onHTTPResponse { print($0.status) }
        feed.responseStream(on: queue) { stream in print(stream.value?.count ?? 0) }
        feed.responseStreamString { stream in print(stream.value ?? "") }
        feed.responseStreamDecodable(of: User.self) { stream in print(stream.value?.name ?? "") }
        feed.responseStream(using: ByteCounter()) { stream in print(stream.result ?? .success(0)) }
        feed.responseStream { stream in if stream.value?.isEmpty == true { stream.cancel() } }
        feed.onComplete { completion in print(completion.response?.status ?? .ok, completion.metrics.duration) }
        feed.resume()
        let strict = session.streamRequest(url, automaticallyCancelOnStreamError: true)
        for await stream in feed.streamTask().streamingData() { print(stream.value?.count ?? 0) }
        for await stream in strict.streamTask().streamingResponses(serializedUsing: ByteCounter()) { print(stream) }
        let response = try await session.stream(url)
        for try await line in response.body.lines { print(line) }
        #expect(strict.isFinished)
    }

    @Test func control() async {
        let queue = DispatchQueue(label: "samples")
        let feed = session.streamRequest("https://api.example.org/log", automaticallyCancelOnStreamError: true)
            .validate(contentType: ["text/*", "*/*"])
            .onHTTPResponse { response in response.status.code == 200 ? .allow : .cancel }
            .responseStream(on: queue) { stream in
                guard let data = stream.value else { return }
                if data.isEmpty { stream.cancel() }
            }
            .onComplete(on: queue) { completion in print(completion.metrics.duration) }
        feed.suspend()
        feed.resume()
        feed.cancel()
        #expect(feed.isCancelled || feed.isFinished)
    }
}
