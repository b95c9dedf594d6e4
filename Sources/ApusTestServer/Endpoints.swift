/// The endpoints of ``TestServer/Behavior/endpoints``.
///
/// Responds 404 to a path without an endpoint, and 400 to an invalid argument.
struct Endpoints: Sendable {
    let state: ServerState

    func response(to request: TestRequest) -> TestResponse {
        let segments = TargetParts.segments(TargetParts.split(request.target).path)
        guard let name = segments.first else { return Self.notFound }
        let call = Call(request: request, arguments: Array(segments.dropFirst()), state: state)
        return call.echo(name) ?? call.follow(name) ?? call.stream(name) ?? call.represent(name) ?? Self.notFound
    }

    static let notFound = TestResponse.text("no such endpoint", status: 404)
    static let badArgument = TestResponse.text("malformed argument", status: 400)

    /// A request to an endpoint, with the path segments after the endpoint's name.
    struct Call {
        let request: TestRequest
        let arguments: [String]
        let state: ServerState

        func string(_ index: Int) -> String? {
            index < arguments.count ? arguments[index] : nil
        }

        /// Returns a count in the path, or nil if it is missing or no number from 0 up.
        func count(_ index: Int) -> Int? {
            string(index).flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
        }

        /// Returns a time in the path, in seconds up to one day, with fractions. Zero if missing, nil if invalid.
        func time(_ index: Int) -> Duration? {
            guard let text = string(index) else { return .zero }
            guard let seconds = Double(text), seconds >= 0, seconds <= 86400 else { return nil }
            return .seconds(seconds)
        }
    }
}

extension TestResponse {
    static func json(_ value: OrderedJSON, status: Int = 200) -> TestResponse {
        TestResponse(status: status, fields: [("Content-Type", "application/json")], body: .bytes(value.bytes))
    }
}
