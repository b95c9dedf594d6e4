internal import ApusTestSupport
internal import HTTPTypes

@testable internal import ApusCore

/// A request that has arrived, with the pieces of its body.
struct Arrival {
    let method: HTTPRequest.Method
    let fields: HTTPFields
    let length: Int64?
    let pieces: [[UInt8]]

    init(_ request: RequestMessage, _ pieces: [[UInt8]]) {
        self.method = request.method
        self.fields = request.fields
        self.length = request.body.length
        self.pieces = pieces
    }
}

/// Sends a POST through the links, and returns the requests that arrived. The first is answered with `status` and a
/// redirect, and the next one with 200.
func arrivals(
    _ body: RequestBody,
    fields: HTTPFields,
    options: RequestOptions,
    through links: [Chain.Link],
    status: Int
) async throws -> [Arrival] {
    let arrivals = Lock<[Arrival]>([])
    let transport = ScriptedTransport { request, record in
        let arrival = Arrival(request, try await request.body.read())
        arrivals.withLock { $0.append(arrival) }
        return request.target.path == "/"
            ? ResponseMessage(status: .init(code: status), fields: [.location: "/there"], record: record)
            : ResponseMessage(status: .ok, record: record)
    }
    let chain = Chain(links, transport: transport)
    let environment = SessionEnvironment(configuration: SessionConfiguration())
    let request = try RequestMessage(
        "http://localhost/",
        method: .post,
        fields: RequestFields(fields),
        body: body,
        options: options
    )
    _ = try await chain(request, context: RequestContext(environment: environment))
    return arrivals.withLock { $0 }
}
