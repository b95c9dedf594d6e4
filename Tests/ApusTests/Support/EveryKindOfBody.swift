import Apus
import ApusTestServer
import ApusTestSupport
import Foundation

/// Calls `work` with request bodies of every kind and the content of each. The file among them exists until it returns.
func withEveryKindOfBody(_ work: ([(RequestBody, Data)]) async throws -> Void) async throws {
    let data = Data(TestServer.pattern(count: 300_000))
    try await inFolder { folder in
        let file = folder.appending(path: "body")
        try data.write(to: file)
        try await work([
            (.none, Data()), (.bytes(Data()), Data()), (.string("text"), Data("text".utf8)), (.bytes(data), data),
            (.file(file), data), (.file(file, range: 10..<20), data[10..<20]),
            (.replayable { AsyncStream.texts("a", "", "b") }, Data("ab".utf8)),
            (.replayable(length: 2) { AsyncStream.texts("a", "b") }, Data("ab".utf8)),
            (.once(AsyncStream.texts("once")), Data("once".utf8)),
        ])
    }
}

extension AsyncStream<BodyChunk> {
    /// Returns a stream of these texts, each in a chunk of its own.
    static func texts(_ texts: String...) -> AsyncStream<BodyChunk> {
        AsyncStream { stream in
            for text in texts { stream.yield(BodyChunk(text)) }
            stream.finish()
        }
    }
}
