internal import ApusCore
internal import ApusJSON

/// Endpoints that echo the request.
extension Endpoints.Call {
    func echo(_ name: String) -> TestResponse? {
        switch name {
        case "get", "post", "put", "patch", "delete":
            let methods = name == "get" ? ["GET", "HEAD"] : [name.uppercased()]
            guard methods.contains(request.method) else {
                var response = TestResponse.text("method not allowed", status: 405)
                response.fields.append(("Allow", methods.joined(separator: ", ")))
                return response
            }
            return .json(.object(echoed))
        case "anything":
            return .json(.object(echoed))
        case "delay":
            guard let time = time(0), !arguments.isEmpty else { return Endpoints.badArgument }
            var response = TestResponse.json(.object(echoed))
            response.delay = time
            return response
        case "ip":
            return .json(.object([("origin", .string(request.remoteAddress))]))
        case "close":
            var response = TestResponse.json(.object(echoed))
            response.closes = true
            return response
        case "upload":
            return .json(
                .object([
                    ("bytes", .number(request.bodyByteCount)),
                    ("adler32", .string(request.bodyChecksum.padded(to: 8, radix: 16))),
                ])
            )
        case "expect-continue":
            return .json(.object([("bytes", .number(request.bodyByteCount))]))
        case "early-hints":
            var response = TestResponse.json(.object(echoed))
            response.informational = [(103, [("Link", "</style.css>; rel=preload; as=style")])]
            return response
        case "response-headers":
            let pairs = request.query
            var response = TestResponse.json(.lists(pairs))
            if pairs.contains(where: { $0.name.lowercased() == "content-type" }) { response.fields = [] }
            response.fields += pairs.filter { Self.isField($0, $1) }.map { ($0, $1) }
            return response
        default:
            return nil
        }
    }

    /// The members of the echo of this request.
    ///
    /// `data` is the recorded part of the body as text, with gzip and deflate decoded.
    var echoed: [(String, OrderedJSON)] {
        let body = decodedBody
        let mediaType = (request["Content-Type"] ?? "").prefix { $0 != ";" }.lowercased()
        let isForm = mediaType == "application/x-www-form-urlencoded"
        let isJSON = mediaType == "application/json" || mediaType.hasSuffix("+json")
        let text = String(decoding: body, as: UTF8.self)
        let host = request["Host"] ?? ""
        let url = request.target.hasPrefix("/") ? "\(scheme)://\(host)\(request.target)" : request.target
        return [
            ("method", .string(request.method)),
            ("url", .string(url)),
            ("args", .lists(request.query)),
            ("headers", .strings(request.fields)),
            ("origin", .string(request.remoteAddress)),
            ("data", .string(isForm ? "" : text)),
            ("form", isForm ? .lists(TargetParts.parameters(text[...])) : .object([])),
            ("json", isJSON && JSONCheck.accepts(body) ? .raw(body) : .null),
        ]
    }

    var scheme: String { request.isSecure ? "https" : "http" }

    private var decodedBody: [UInt8] {
        switch request["Content-Encoding"]?.lowercased() {
        case "gzip", "deflate": ZlibFormat.decompress(request.body, limit: 16 << 20) ?? request.body
        default: request.body
        }
    }

    private static func isField(_ name: String, _ value: String) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy(FieldLines.isTokenByte)
            && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}
