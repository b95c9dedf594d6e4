internal import ApusTestServer
internal import Foundation

/// A file of 12 MiB at the servers of the stops about downloads. They send ranges of it, and name its version by an
/// entity tag.
enum RangedFile {
    static let path = "/swifts.bin"
    static let byteCount = 12 << 20
    /// The SHA-256 digest of the file.
    static let sha256 = "b6967a4c54cdab8a16907be0774af71e5db8198045f91933ebed106ddba22dfb"
    static let tag = #""swifts-1""#

    private static let pieceBytes = 64 << 10

    static var content: Data { Data(TestServer.pattern(count: byteCount)) }

    /// Returns the requested range, or the whole file.
    static func response(to request: TestRequest) -> TestResponse {
        let range = requestedRange(of: request)
        let bounds = range ?? 0..<byteCount
        var response = TestResponse(
            fields: [("Accept-Ranges", "bytes"), ("ETag", tag)],
            body: .pattern(offset: bounds.lowerBound, count: bounds.count)
        )
        if let range {
            response.status = 206
            response.fields.append(("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(byteCount)"))
        }
        return response
    }

    /// Returns the same with a body of at most 64 KiB in each 4 ms, as over a slow connection.
    static func slowResponse(to request: TestRequest) -> TestResponse {
        let bounds = requestedRange(of: request) ?? 0..<byteCount
        var response = response(to: request)
        response.body = .generated(length: bounds.count, interval: .milliseconds(4)) { number in
            let begin = bounds.lowerBound + number * pieceBytes
            guard begin < bounds.upperBound else { return nil }
            return TestServer.pattern(offset: begin, count: min(pieceBytes, bounds.upperBound - begin))
        }
        return response
    }

    /// Returns a response that has the first 8 MiB, and then no end until the connection is closed.
    static func stalledResponse(to request: TestRequest) -> TestResponse {
        var response = response(to: request)
        let stalledBytes = 8 << 20
        response.body = .generated(length: byteCount, interval: .seconds(3600)) { number in
            switch number {
            case 0: TestServer.pattern(count: stalledBytes)
            case 1: TestServer.pattern(offset: stalledBytes, count: byteCount - stalledBytes)
            default: nil
            }
        }
        return response
    }

    /// Returns the range of a request, or `nil` if it has none, or one of another version of the file.
    private static func requestedRange(of request: TestRequest) -> Range<Int>? {
        guard let field = request["Range"], field.hasPrefix("bytes="), request["If-Range"] ?? tag == tag else {
            return nil
        }
        let bounds = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        guard bounds.count == 2, let first = bounds[0], first < byteCount else { return nil }
        let end = min(bounds[1] ?? byteCount, byteCount - 1) + 1
        return first < end ? first..<end : nil
    }
}
