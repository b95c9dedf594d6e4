/// The endpoints of ``TestServer/Behaviour/endpoints``.
///
/// A path without an endpoint answers 404, a parameter that is no number 400.
struct Endpoints: Sendable {
    let state: ServerState

    func answer(_ request: TestRequest) -> TestResponse {
        let segments = TargetParts.segments(TargetParts.split(request.target).path)
        guard let name = segments.first else { return Self.notFound }
        let call = Call(request: request, arguments: Array(segments.dropFirst()), state: state)
        return call.echo(name) ?? call.follow(name) ?? call.stream(name) ?? call.represent(name) ?? Self.notFound
    }

    static let notFound = TestResponse.text("no such endpoint", status: 404)
    static let badArgument = TestResponse.text("malformed argument", status: 400)

    /// One request to an endpoint, with the segments of its path behind the endpoint's name.
    struct Call {
        let request: TestRequest
        let arguments: [String]
        let state: ServerState

        func string(_ index: Int) -> String? {
            index < arguments.count ? arguments[index] : nil
        }

        /// A count in the path; nil when it is missing or no number from 0.
        func count(_ index: Int) -> Int? {
            string(index).flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
        }

        /// A time in the path, in seconds, fractions allowed, a day at most; zero when it is missing.
        func time(_ index: Int) -> Duration? {
            guard let text = string(index) else { return .zero }
            guard let seconds = Double(text), seconds >= 0, seconds <= 86400 else { return nil }
            return .seconds(seconds)
        }
    }
}

extension TestResponse {
    static func json(_ value: JSONValue, status: Int = 200) -> TestResponse {
        TestResponse(status: status, fields: [("Content-Type", "application/json")], body: .bytes(value.bytes))
    }
}
