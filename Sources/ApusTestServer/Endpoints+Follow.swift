/// Endpoints whose response requires an action of the client: redirects, challenges, status codes.
extension Endpoints.Call {
    func follow(_ name: String) -> TestResponse? {
        switch name {
        case "status": return status()
        case "redirect": return redirect("/")
        case "absolute-redirect": return redirect("\(scheme)://\(request["Host"] ?? "")/absolute-")
        case "redirect-to":
            guard let url = request.queryValue("url"), url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
                return Endpoints.badArgument
            }
            let code = request.queryValue("statusCode") ?? request.queryValue("status_code") ?? "302"
            guard let code = Int(code), (300...399).contains(code) else { return Endpoints.badArgument }
            return Self.redirection(to: url, code)
        case "basic-auth": return authentication(isHidden: false)
        case "hidden-basic-auth": return authentication(isHidden: true)
        default: return nil
        }
    }

    private static func redirection(to location: String, _ status: Int = 302) -> TestResponse {
        TestResponse(status: status, fields: [("Location", location)])
    }

    /// Echoes for 2xx, redirects to `/get` for 3xx, and responds without a body otherwise.
    private func status() -> TestResponse {
        guard let code = count(0), (200...599).contains(code) else { return Endpoints.badArgument }
        switch code {
        case 204, 304: return TestResponse(status: code)
        case 200...299: return .json(.object(echoed), status: code)
        case 300...399: return Self.redirection(to: "/get", code)
        default: return TestResponse(status: code)
        }
    }

    /// Redirects step by step to `/get`.
    private func redirect(_ prefix: String) -> TestResponse {
        guard let left = count(0) else { return Endpoints.badArgument }
        guard left > 1 else {
            let isAbsolute = prefix != "/"
            return Self.redirection(to: isAbsolute ? String(prefix.dropLast("absolute-".count)) + "get" : "/get")
        }
        return Self.redirection(to: "\(prefix)redirect/\(left - 1)")
    }

    private func authentication(isHidden: Bool) -> TestResponse {
        guard let user = string(0), let password = string(1) else { return Endpoints.badArgument }
        let given = (request["Authorization"] ?? "").split(separator: " ", maxSplits: 1)
        let wanted = Base64.encode(Array("\(user):\(password)".utf8))
        if given.count == 2, given[0].lowercased() == "basic", given[1] == wanted {
            return .json(.object([("authenticated", .bool(true)), ("user", .string(user))] + echoed))
        }
        if isHidden { return Endpoints.notFound }
        return TestResponse(status: 401, fields: [("WWW-Authenticate", "Basic realm=\"Apus\", charset=\"UTF-8\"")])
    }
}

/// The encoding of RFC 4648 §4.
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for position in 0..<4 {
                let digit = alphabet[bits >> (18 - 6 * position) & 63]
                text.append(position <= group.count ? digit : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
