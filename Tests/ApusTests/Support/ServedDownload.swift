import ApusTestServer

/// A file of a test server that supports ranges.
struct ServedDownload: Sendable {
    /// Forty bytes, all of them different.
    var content = TestServer.pattern(count: 40)
    /// The fields that name the version of the file, and others of each response.
    var fields = [("ETag", "\"1\"")]

    /// Returns the file, or its rest if the request has a range and names this version.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - cut: The number of body bytes after which the connection is cut. `nil` sends all. Default: `nil`.
    /// - Returns: The response.
    func response(to request: TestRequest, cutAfter cut: Int? = nil) -> TestResponse {
        var response = TestResponse(fields: fields, body: .bytes(content))
        if let start = start(of: request) {
            response.status = 206
            response.fields.append(("Content-Range", "bytes \(start)-\(content.count - 1)/\(content.count)"))
            response.body = .bytes(Array(content[start...]))
        }
        response.abortsAfterBodyBytes = cut
        return response
    }

    private func start(of request: TestRequest) -> Int? {
        guard let range = request["Range"], range.hasPrefix("bytes="), range.hasSuffix("-"),
            let start = Int(range.dropFirst("bytes=".count).dropLast()), start < content.count
        else { return nil }
        guard let condition = request["If-Range"] else { return start }
        return fields.contains(where: { $0.1 == condition }) ? start : nil
    }

    /// The head of a response with the whole file, and the first twenty bytes of its body.
    var half: [UInt8] { head("200 OK", length: content.count) + content.prefix(20) }

    /// The response with the rest after the first twenty bytes.
    var rest: [UInt8] {
        let last = content.count - 1
        return head(
            "206 Partial Content",
            "Content-Range: bytes 20-\(last)/\(last + 1)\r\n",
            length: content.count - 20
        )
            + content.dropFirst(20)
    }

    private func head(_ status: String, _ more: String = "", length: Int) -> [UInt8] {
        let lines = fields.map { "\($0): \($1)\r\n" }.joined()
        return Array("HTTP/1.1 \(status)\r\n\(lines)\(more)Content-Length: \(length)\r\n\r\n".utf8)
    }
}
