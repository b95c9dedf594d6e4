/// Endpoints with a representation: codings, media types, ranges, validators.
extension Endpoints.Call {
    private static let lastModified = IMFFixdate.text(1_577_836_800)

    func represent(_ name: String) -> TestResponse? {
        switch name {
        case "gzip": return coded(.gzip, "gzip", "gzipped")
        case "deflate": return coded(.zlib, "deflate", "deflated")
        case "deflate-raw": return coded(.raw, "deflate", "deflated")
        case "xml":
            let text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<slideshow title=\"Apus\"><slide/></slideshow>\n"
            return TestResponse(fields: [("Content-Type", "application/xml; charset=utf-8")], body: .text(text))
        case "download": return download()
        case "cache": return cache()
        default: return nil
        }
    }

    /// Returns compressed JSON or, for `/gzip/n`, `n` bytes of the pattern, compressed. Limit: 64 MiB.
    private func coded(_ coding: ZlibFormat, _ token: String, _ flag: String) -> TestResponse {
        var response: TestResponse
        var content: [UInt8]
        if arguments.isEmpty {
            content = OrderedJSON.object([(flag, .bool(true))] + echoed).bytes
            response = TestResponse(fields: [("Content-Type", "application/json")])
        } else {
            guard let count = count(0), count <= 64 << 20 else { return Endpoints.badArgument }
            content = TestServer.pattern(count: count)
            response = TestResponse(fields: [("Content-Type", "application/octet-stream")])
        }
        response.fields.append(("Content-Encoding", token))
        response.body = .bytes(coding.compress(content))
        return response
    }

    // MARK: Ranges

    /// Returns `n` bytes of the pattern and supports ranges (RFC 9110 §14).
    ///
    /// `?etag=x` sets the entity tag, `?shouldProduceError=true` closes the connection half way through the body.
    private func download() -> TestResponse {
        guard let length = count(0) else { return Endpoints.badArgument }
        let tag = "\"\(request.queryValue("etag") ?? "apus-\(length)")\""
        var fields = [
            ("Content-Type", "application/octet-stream"), ("Accept-Ranges", "bytes"),
            ("ETag", tag), ("Last-Modified", Self.lastModified),
        ]
        var bounds = 0..<length
        var status = 200
        let condition = request["If-Range"]
        if let field = request["Range"], condition == nil || condition == tag || condition == Self.lastModified {
            switch ByteRange.parse(field, length: length) {
            case .ignored: break
            case .unsatisfiable:
                return TestResponse(status: 416, fields: [("Content-Range", "bytes */\(length)")])
            case .satisfiable(let range):
                bounds = range
                status = 206
                fields.append(("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length)"))
            }
        }
        var response = TestResponse(
            status: status,
            fields: fields,
            body: .pattern(offset: bounds.lowerBound, count: bounds.count)
        )
        if request.queryValue("shouldProduceError") == "true" { response.abortsAfterBodyBytes = bounds.count / 2 }
        return response
    }

    // MARK: Validators

    /// Returns a cacheable response with the fields of the query and the visit count of the target.
    ///
    /// The first response has a `Date` five seconds in the past. A request with the validator gets a 304.
    private func cache() -> TestResponse {
        let visit = state.visit(request.target)
        let tag = "\"apus-cache\""
        var fields = [
            ("Date", IMFFixdate.now(minusSeconds: visit == 1 ? 5 : 0)), ("ETag", tag),
            ("Last-Modified", Self.lastModified),
        ]
        for (name, value) in request.query where name.utf8.allSatisfy(FieldLines.isTokenByte) && !name.isEmpty {
            fields.append((name, String(value.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F })))
        }
        let isFresh = request["If-None-Match"].map { $0 == tag || $0 == "*" || $0 == "W/" + tag }
        if isFresh ?? (request["If-Modified-Since"] == Self.lastModified) {
            return TestResponse(status: 304, fields: fields)
        }
        var response = TestResponse.json(.object([("visit", .number(visit))]))
        response.fields += fields
        return response
    }
}

/// A single range of a `Range` field (RFC 9110 §14.1.2). Several ranges are ignored, as a server may do.
enum ByteRange {
    case ignored
    case unsatisfiable
    case satisfiable(Range<Int>)

    static func parse(_ field: String, length: Int) -> ByteRange {
        guard field.hasPrefix("bytes=") else { return .ignored }
        let parts = field.dropFirst(6).split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return .ignored }
        switch (Int(parts[0]), Int(parts[1])) {
        case (nil, let suffix?) where parts[0].isEmpty && suffix >= 0:
            return suffix == 0 || length == 0 ? .unsatisfiable : .satisfiable(max(0, length - suffix)..<length)
        case (let first?, nil) where parts[1].isEmpty && first >= 0:
            return first < length ? .satisfiable(first..<length) : .unsatisfiable
        case (let first?, let last?) where first >= 0 && last >= first:
            return first < length ? .satisfiable(first..<min(last, length - 1) + 1) : .unsatisfiable
        default:
            return .ignored
        }
    }
}
