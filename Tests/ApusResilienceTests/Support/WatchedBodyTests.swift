internal import Apus
internal import Testing

@testable internal import ApusResilience

@Suite(.timeLimit(.minutes(5))) struct WatchedBodyTests {
    /// A body source of chunks, followed by an end or an error.
    private final class Chunks: BodySource {
        private let remaining: Shared<[String]>
        private let failure: ApusError?
        let isCancelled = Shared(false)

        init(_ chunks: [String], failure: ApusError? = nil) {
            self.remaining = Shared(chunks)
            self.failure = failure
        }

        var trailers: HTTPFields? { [.age: "1"] }

        func next() async throws(ApusError) -> BodyChunk? {
            if let text = remaining.change({ $0.isEmpty ? nil : $0.removeFirst() }) { return BodyChunk(text) }
            if let failure { throw failure }
            return nil
        }

        func cancel() { isCancelled.change { $0 = true } }
    }

    private let endings = Shared<[String]>([])

    private func watched(_ body: ResponseBody) -> ResponseBody {
        body.watched { [endings] ending in
            let word =
                switch ending {
                case .complete: "complete"
                case .failed(let error): error.code.name
                case .letGo: "let go"
                }
            endings.change { $0.append(word) }
        }
    }

    @Test(arguments: [ResponseBody.empty, .whole(BodyChunk("whole"))])
    func reportsTheEndOfAWholeBodyImmediately(body: ResponseBody) async throws {
        let same = watched(body)
        #expect(endings.value == ["complete"])
        #expect(try await same.collect(upTo: 100).count == (body.isEmpty ? 0 : 5))
        #expect(endings.value == ["complete"])
    }

    @Test func reportsTheEndOnce() async throws {
        var body: ResponseBody? = watched(.stream(Chunks(["a", "b"])))
        var iterator = body?.makeAsyncIterator()
        #expect(try await iterator?.next() == BodyChunk("a"))
        #expect(try await iterator?.next() == BodyChunk("b"))
        #expect(endings.value.isEmpty)
        #expect(try await iterator?.next() == nil)
        #expect(endings.value == ["complete"])
        #expect(body?.trailers == [.age: "1"])
        body?.discard()
        iterator = nil
        body = nil
        #expect(endings.value == ["complete"])
    }

    @Test func reportsAFailure() async {
        let body = watched(.stream(Chunks(["a"], failure: ApusError(.connectionClosed, "gone"))))
        let error = await failure { try await body.collect(upTo: 100) }
        #expect(error?.code == .connectionClosed)
        #expect(endings.value == ["connectionClosed"])
    }

    @Test func reportsARelease() {
        let chunks = Chunks(["a"])
        var body: ResponseBody? = watched(.stream(chunks))
        #expect(body != nil)
        #expect(endings.value.isEmpty)
        body = nil
        #expect(endings.value == ["let go"])
        #expect(chunks.isCancelled.value)
    }

    @Test func reportsADiscard() {
        let chunks = Chunks(["a"])
        let body = watched(.stream(chunks))
        body.discard()
        body.discard()
        #expect(endings.value == ["let go"])
        #expect(chunks.isCancelled.value)
    }
}
