/// Endpoints with a body that is slow, large or sent in pieces.
extension Endpoints.Call {
    func stream(_ name: String) -> TestResponse? {
        switch name {
        case "bytes":
            guard let count = count(0) else { return Endpoints.badArgument }
            return Self.octets(.pattern(count: count))
        case "chunked":
            guard let count = count(0), let interval = time(1) else { return Endpoints.badArgument }
            return Self.octets(
                .generated(interval: interval) { $0 < count ? [UInt8($0 % ResponseBodySource.period)] : nil }
            )
        case "drip":
            guard let count = count(0), let interval = time(1) else { return Endpoints.badArgument }
            return Self.octets(
                .generated(length: count, interval: interval) {
                    $0 < count ? [UInt8($0 % ResponseBodySource.period)] : nil
                }
            )
        case "infinite":
            let chunk = TestServer.pattern(count: 1000)
            return Self.octets(.generated { _ in chunk })
        case "payloads":
            guard let count = count(0), let interval = time(1) else { return Endpoints.badArgument }
            return numbered(count, interval, "application/json")
        case "stream":
            guard let count = count(0) else { return Endpoints.badArgument }
            return numbered(count, .zero, "application/x-ndjson")
        case "json":
            guard let count = count(0) else { return Endpoints.badArgument }
            return Self.objects(count)
        case "trailers":
            var response = TestResponse.text("the trailers follow\n")
            response.fields.append(("Trailer", "X-Checksum, X-Apus"))
            let checksum = String(response.body.length ?? 0)
            response.trailers = [("X-Checksum", checksum), ("X-Apus", "behind the body")]
            return response
        default:
            return nil
        }
    }

    private static func octets(_ body: TestResponse.Body) -> TestResponse {
        TestResponse(fields: [("Content-Type", "application/octet-stream")], body: body)
    }

    /// Returns one echo per chunk, each with its number and a line feed.
    private func numbered(_ count: Int, _ interval: Duration, _ mediaType: String) -> TestResponse {
        let echo = OrderedJSON.object(echoed).bytes.dropFirst()
        return TestResponse(
            fields: [("Content-Type", mediaType)],
            body: .generated(interval: interval) { index in
                guard index < count else { return nil }
                return Array("{\"id\":\(index),".utf8) + echo + [0x0A]
            }
        )
    }

    /// Returns an array of small objects, a thousand per chunk.
    private static func objects(_ count: Int) -> TestResponse {
        let perChunk = 1000
        return TestResponse(
            fields: [("Content-Type", "application/json")],
            body: .generated { chunk in
                let first = chunk * perChunk
                if chunk > 0 && first >= count { return nil }
                var bytes = Array(chunk == 0 ? "[".utf8 : ",".utf8)
                let end = min(first + perChunk, count)
                for id in first..<end {
                    if id > first { bytes.append(UInt8(ascii: ",")) }
                    bytes += Array("{\"id\":\(id),\"name\":\"item \(id)\",\"isEven\":\(id % 2 == 0)}".utf8)
                }
                if end == count { bytes.append(UInt8(ascii: "]")) }
                return bytes
            }
        )
    }
}
