internal import ApusTestSupport
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct ObservedBodyTests {
    private let reports = LockedList<String>()

    private func observed(_ body: ResponseBody) -> ResponseBody {
        body.observed(
            onChunk: { [reports] chunk, count in reports.append("\(String(chunk)) up to \(count)") },
            onEnd: { [reports] ending in
                let word =
                    switch ending {
                    case .complete: "complete"
                    case .failed(let error): error.code.name
                    case .released: "released"
                    }
                reports.append(word)
            }
        )
    }

    @Test func reportsAWholeBodyImmediately() async throws {
        let body = observed(.whole(BodyChunk("whole")))
        #expect(reports.all == ["whole up to 5", "complete"])
        #expect(try await body.collect(upTo: 100).count == 5)
        #expect(reports.count == 2)
    }

    @Test func reportsTheEndOfAnEmptyBodyImmediately() {
        #expect(observed(.empty).isEmpty)
        #expect(reports.all == ["complete"])
    }

    @Test func reportsEachChunkAndTheEndOnce() async throws {
        var body: ResponseBody? = observed(.stream(ScriptedBody(["ab", "c"], trailers: [.age: "1"])))
        var iterator = body?.makeAsyncIterator()
        #expect(try await iterator?.next() == BodyChunk("ab"))
        #expect(reports.all == ["ab up to 2"])
        #expect(try await iterator?.next() == BodyChunk("c"))
        #expect(reports.all == ["ab up to 2", "c up to 3"])
        #expect(try await iterator?.next() == nil)
        #expect(reports.all == ["ab up to 2", "c up to 3", "complete"])
        #expect(body?.trailers == [.age: "1"])
        body?.discard()
        iterator = nil
        body = nil
        #expect(reports.count == 3)
    }

    @Test func reportsAFailure() async {
        let body = observed(.stream(ScriptedBody(["a"], failure: ApusError(.connectionClosed, "gone"))))
        let error = await failure { try await body.collect(upTo: 100) }
        #expect(error?.code == .connectionClosed)
        #expect(reports.all == ["a up to 1", "connectionClosed"])
    }

    @Test func reportsARelease() {
        let source = ScriptedBody(["a"])
        var body: ResponseBody? = observed(.stream(source))
        #expect(body != nil)
        #expect(reports.all.isEmpty)
        body = nil
        #expect(reports.all == ["released"])
        #expect(source.cancels > 0)
    }

    @Test func reportsADiscard() {
        let source = ScriptedBody(["a"])
        let body = observed(.stream(source))
        body.discard()
        #expect(source.discards == 1)
        #expect(source.cancels == 0)
        body.discard()
        #expect(reports.all == ["released"])
    }

    @Test func passesTheBodyOnWithoutHandlers() async throws {
        let source = ScriptedBody(["a", "b"])
        let body = ResponseBody.stream(source).observed()
        #expect(try await body.collect(upTo: 100).count == 2)
        #expect(ResponseBody.empty.observed().isEmpty)
        let discarded = ScriptedBody(["a"])
        ResponseBody.stream(discarded).observed().discard()
        #expect(discarded.discards == 1)
    }
}
