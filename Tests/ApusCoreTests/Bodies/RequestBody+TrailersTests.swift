internal import ApusTestSupport
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct RequestBodyTrailersTests {
    private struct Fault: Error {}

    private func stream(_ chunks: String...) -> AsyncStream<BodyChunk> {
        AsyncStream { continuation in
            for chunk in chunks { continuation.yield(BodyChunk(chunk)) }
            continuation.finish()
        }
    }

    private func lines(_ fields: HTTPFields?) -> [String]? {
        fields?.map { "\($0.name.rawName): \($0.value)" }
    }

    @Test func keepsThePropertiesOfTheBody() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Data("file".utf8), to: "file")
        let bodies: [(RequestBody, String)] = [
            (.string(""), ""), (.string("text"), "text"), (try .file(file, range: 1..<3), "il"),
            (.replayable { stream("a", "b") }, "ab"), (.replayable(length: 2) { stream("a", "b") }, "ab"),
            (.once(length: 3, stream("abc")), "abc"),
        ]
        for (body, text) in bodies {
            let trailed = body.withTrailers { ["X-A": "b"] }
            #expect(!trailed.isNone)
            #expect(trailed.hasTrailers && !body.hasTrailers)
            #expect(trailed.length == body.length)
            #expect(trailed.isReplayable)
            #expect(trailed.isReadOnce == body.isReadOnce)
            #expect(trailed.isFile == body.isFile)
            #expect(trailed.bytesInMemory == body.bytesInMemory)
            #expect((trailed.pieces == nil) == (body.pieces == nil))
            #expect(trailed.description == "\(body), with trailers")
            #expect(try trailed.replayed(for: "a test").hasTrailers)
            #expect(try await trailed.data() == Data(text.utf8))
            #expect(trailed.isReplayable == !body.isReadOnce)
            #expect(try await lines(trailed.trailers()) == ["X-A: b"])
        }
    }

    @Test func hasNoneByDefault() async throws {
        for body in [RequestBody.none, .string("a"), .once(stream("a"))] {
            #expect(try await body.trailers() == nil)
            #expect(body.trailerMaker == nil)
        }
    }

    @Test func makesAnEmptyBodyOfNone() async throws {
        let body = RequestBody.none.withTrailers(["X-A": "b"])
        #expect(!body.isNone)
        #expect(body.length == 0)
        #expect(body.description == "0 bytes, with trailers")
        #expect(try await body.data().isEmpty)
        #expect(try await lines(body.trailers()) == ["X-A: b"])
    }

    @Test func makesTheFieldsAnewEachTime() async throws {
        let count = LockedValue(0)
        let body = RequestBody.string("a").withTrailers { ["X-Count": "\(count.increased(by: 1))"] }
        #expect(count.value == 0)
        #expect(try await lines(body.trailers()) == ["X-Count: 1"])
        #expect(try await lines(body.trailers()) == ["X-Count: 2"])
    }

    @Test func replacesFormerTrailers() async throws {
        let body = RequestBody.string("a").withTrailers(["X-A": "1"]).withTrailers { ["X-B": "2", "x-b": "3"] }
        #expect(try await lines(body.trailers()) == ["X-B: 2", "x-b: 3"])
        #expect(body.description == "1 bytes, with trailers")
        #expect(try await body.with(nil).trailers()?.count == 2)
    }

    @Test func failsWithTheErrorOfTheClosure() async {
        let broken = RequestBody.string("a").withTrailers { () async throws -> RequestFields in throw Fault() }
        let error = await failure { try await broken.trailers() }
        #expect(error?.code == .requestBodyFailed)
        #expect(error?.underlying is Fault)
        let own = RequestBody.string("a").withTrailers { () async throws -> RequestFields in
            throw ApusError(.fileChanged, "it was")
        }
        #expect(await failure { try await own.trailers() }?.code == .fileChanged)
    }

    @Test(arguments: [("a b", "c"), ("", "c"), ("X-A", "b\r\nX-C: d"), ("X-A", "b\u{0}")])
    func rejectsInvalidFields(name: String, value: String) async {
        for body in [
            RequestBody.string("a").withTrailers([RequestFieldName(name): value]),
            RequestBody.string("a").withTrailers { [RequestFieldName(name): value] },
        ] {
            #expect(await failure { try await body.trailers() }?.code == .invalidField)
        }
    }
}
