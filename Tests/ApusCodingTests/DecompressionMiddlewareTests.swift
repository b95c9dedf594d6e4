internal import ApusTestSupport
internal import HTTPTypes
internal import Testing

@testable internal import ApusCoding
@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct DecompressionMiddlewareTests {
    private static let content = Coded.text(3000)

    // MARK: Decoding

    @Test(arguments: [
        ("gzip", Coded.gzip(content)), ("x-gzip", Coded.gzip(content)), ("GZIP", Coded.gzip(content)),
        ("deflate", Coded.zlib(content)), ("deflate", Coded.raw(content)),
        ("gzip, deflate", Coded.raw(Coded.gzip(content))), ("identity, gzip", Coded.gzip(content)),
    ])
    func decodes(codings: String, coded: [UInt8]) async throws {
        for body in [ResponseBody.whole(BodyChunk(coded)), .stream(ScriptedSource(coded.pieces(of: 100)))] {
            let response = try await respond(
                fields: [
                    .contentEncoding: codings, .contentLength: "\(coded.count)", .eTag: "\"1\"", .reprDigest: "x",
                ],
                body: body
            )
            #expect(response.fields == [.eTag: "\"1\""])
            #expect(response.record.isDecoded)
            #expect(response.body.isWhole == body.isWhole)
            #expect(try await response.body.read() == Self.content)
            let received = response.record.received(0, of: nil)
            #expect(received.completed == Int64(coded.count) && received.total == received.completed)
        }
    }

    @Test(arguments: ["identity", "unknown"]) func recordsOnlyADecodedBody(coding: String) async throws {
        let fields: HTTPFields = [.contentEncoding: coding, .reprDigest: "x"]
        let response = try await respond(fields: fields, body: .whole(BodyChunk("abc")))
        #expect(!response.record.isDecoded)
        #expect(response.fields[.reprDigest] == "x")
    }

    @Test func readsSeveralFieldsAsOneList() async throws {
        var fields = HTTPFields()
        fields[values: .contentEncoding] = ["gzip", "deflate", "gzip"]
        let coded = Coded.gzip(Coded.zlib(Coded.gzip(Self.content)))
        let response = try await respond(fields: fields, body: .whole(BodyChunk(coded)))
        #expect(response.fields.isEmpty)
        #expect(try await response.body.read() == Self.content)
    }

    @Test func decodesIfTheCallerSetAcceptEncoding() async throws {
        let response = try await respond(
            requestFields: [.acceptEncoding: "gzip;q=0.5"],
            fields: [.contentEncoding: "gzip"],
            body: .whole(BodyChunk(Coded.gzip(Self.content)))
        )
        #expect(try await response.body.read() == Self.content)
    }

    @Test func decodesALargeWholeBody() async throws {
        let content = Coded.text(1 << 20)
        let coded = Coded.gzip(content)
        #expect(coded.count > ContentDecoder.longBytes)
        let response = try await respond(fields: [.contentEncoding: "gzip"], body: .whole(BodyChunk(coded)))
        #expect(try await response.body.read() == content)
    }

    @Test func acceptsAnEmptyBody() async throws {
        for body in [ResponseBody.empty, .stream(ScriptedSource([]))] {
            let response = try await respond(fields: [.contentEncoding: "gzip", .contentLength: "0"], body: body)
            #expect(response.fields.isEmpty)
            #expect(try await response.body.read() == [])
        }
    }

    // MARK: Unchanged bodies

    @Test func leavesUncodedContentAlone() async throws {
        let fields: HTTPFields = [.contentLength: "3", .contentType: "text/plain"]
        let response = try await respond(fields: fields, body: .whole("abc"))
        #expect(response.fields == fields)
        #expect(try await response.body.read() == Array("abc".utf8))
        let identity = try await respond(
            fields: [.contentEncoding: "identity", .contentLength: "3"],
            body: .whole("abc")
        )
        #expect(identity.fields == [.contentLength: "3"])
        #expect(try await identity.body.read() == Array("abc".utf8))
    }

    @Test(arguments: ["br", "gzip, br", "zstd, gzip"])
    func leavesUnknownCodingsAlone(codings: String) async throws {
        let fields: HTTPFields = [.contentEncoding: codings, .contentLength: "3"]
        let response = try await respond(fields: fields, body: .whole("abc"))
        #expect(response.fields == fields)
        #expect(try await response.body.read() == Array("abc".utf8))
    }

    @Test func leavesBodiesAloneIfDecodingIsOff() async throws {
        let fields: HTTPFields = [.contentEncoding: "gzip", .contentLength: "3"]
        let response = try await respond(options: [ContentDecoding.off], fields: fields, body: .whole("abc"))
        #expect(response.fields == fields)
        #expect(try await response.body.read() == Array("abc".utf8))
    }

    @Test(arguments: [
        (HTTPRequest.Method.head, 200), (.get, 204), (.get, 304), (.get, 206), (.get, 101),
    ])
    func leavesResponsesWithoutABodyAlone(method: HTTPRequest.Method, status: Int) async throws {
        let fields: HTTPFields = [.contentEncoding: "gzip", .contentLength: "4711"]
        let response = try await respond(method: method, status: status, fields: fields, body: .empty)
        #expect(response.fields == fields)
        #expect(response.body.isEmpty)
    }

    // MARK: Rejected bodies

    @Test(arguments: [(4, true), (5, true), (6, false)])
    func limitsTheNumberOfCodings(count: Int, passes: Bool) async throws {
        let coded = (0..<count).reduce(Self.content) { coded, _ in Coded.gzip(coded) }
        let codings = Array(repeating: "gzip", count: count).joined(separator: ", ")
        let source = ScriptedSource([coded])
        for body in [ResponseBody.whole(BodyChunk(coded)), .stream(source)] {
            let response = try await respond(fields: [.contentEncoding: codings], body: body)
            if passes {
                #expect(try await response.body.read() == Self.content)
                continue
            }
            // The head is returned unchanged.
            #expect(response.fields[.contentEncoding] == codings)
            let error = await #expect(throws: ApusError.self) { try await response.body.read() }
            #expect(error?.code == .contentCodingUnsupported)
            for part in ["6", "5", "limits.stackedCodings"] { #expect(error?.description.contains(part) == true) }
        }
        #expect(source.seen.isCancelled == !passes)
    }

    @Test func deliversTheHeadEvenIfTheBodyIsInvalid() async throws {
        let response = try await respond(status: 500, fields: [.contentEncoding: "gzip"], body: .whole("no gzip"))
        #expect(response.status == .internalServerError)
        let error = await #expect(throws: ApusError.self) { try await response.body.read() }
        #expect(error?.code == .contentCodingFailed)
        #expect(error?.detail == "the data does not begin with a gzip header")
    }

    @Test func limitsExpansionThroughTheChain() async throws {
        let coded = Coded.gzip(Coded.zeros(1 << 20 | 1))
        for body in [ResponseBody.whole(BodyChunk(coded)), .stream(ScriptedSource([coded]))] {
            let response = try await respond(fields: [.contentEncoding: "gzip"], body: body)
            let error = await #expect(throws: ApusError.self) { try await response.body.read() }
            #expect(error?.code == .expansionLimit)
        }
    }

    @Test func dropsTrailingBytes() async throws {
        let coded = Coded.gzip(Self.content) + Array("\r\n".utf8)
        for body in [ResponseBody.whole(BodyChunk(coded)), .stream(ScriptedSource(coded.pieces(of: 100)))] {
            let response = try await respond(fields: [.contentEncoding: "gzip"], body: body)
            #expect(try await response.body.read() == Self.content)
            #expect(response.record.metrics.ignoredContentBytes == 2)
        }
    }

    // MARK: Helpers

    private func respond(
        method: HTTPRequest.Method = .get,
        options: RequestOptions = .none,
        requestFields: HTTPFields = [:],
        status: Int = 200,
        fields: HTTPFields,
        body: ResponseBody
    ) async throws -> ResponseMessage {
        let transport = ScriptedTransport { _, record in
            ResponseMessage(status: .init(code: status), fields: fields, body: body, record: record)
        }
        return try await run(.automatic, options, method, requestFields, transport)
    }

    private func run(
        _ policy: ContentDecoding,
        _ options: RequestOptions,
        _ method: HTTPRequest.Method,
        _ fields: HTTPFields,
        _ transport: ScriptedTransport
    ) async throws -> ResponseMessage {
        let chain = Chain(
            [Chain.Link(DecompressionMiddleware(policy: policy, limits: ResponseLimits()))],
            transport: transport
        )
        let environment = SessionEnvironment(configuration: SessionConfiguration())
        let request = try RequestMessage(
            "http://localhost/",
            method: method,
            fields: RequestFields(fields),
            options: options
        )
        return try await chain(request, context: RequestContext(environment: environment))
    }
}

extension ResponseBody {
    fileprivate static func whole(_ text: String) -> ResponseBody { .whole(BodyChunk(text)) }
}
