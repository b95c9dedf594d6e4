internal import ApusTestServer

/// The listing of the tour, as pages and as lines.
enum Sightings {
    static let count = 24
    private static let pageLength = 8

    private static func bird(_ number: Int) -> String {
        #"{"name": "swift \#(number)", "genus": "Apus", "topSpeed": \#(number)}"#
    }

    /// Returns the response, or `nil` for any other path.
    static func response(to request: TestRequest) -> TestResponse? {
        switch request.path {
        case "/sightings": page(Int(request.target.split(separator: "=").last ?? "") ?? 1)
        case "/sightings.ndjson": lines
        case "/census": census
        default: nil
        }
    }

    /// Arrives late enough for other requests to join.
    private static var census: TestResponse {
        var response = TestResponse.text("9 pairs")
        response.delay = .milliseconds(20)
        return response
    }

    private static func page(_ number: Int) -> TestResponse {
        let birds = ((number - 1) * pageLength..<number * pageLength).map(bird)
        var response = TestResponse.json("[\(birds.joined(separator: ", "))]")
        if number * pageLength < count {
            response.fields.append(("Link", #"</sightings?page=\#(number + 1)>; rel="next""#))
        }
        return response
    }

    /// All birds, in pieces of 50 bytes.
    private static var lines: TestResponse {
        let bytes = Array((0..<count).map { bird($0) + "\n" }.joined().utf8)
        return TestResponse(
            fields: [("Content-Type", "application/x-ndjson")],
            body: .generated(length: bytes.count) { number in
                let begin = number * 50
                return begin < bytes.count ? Array(bytes[begin..<min(begin + 50, bytes.count)]) : nil
            }
        )
    }
}
