internal import ApusCore
internal import Foundation
internal import HTTPTypes

extension HARRecording {
    /// Returns the archive entry of this exchange.
    func entry(_ view: HARView) -> HTTPArchive.Entry {
        let (state, metrics, now) = snapshot
        let timings = HTTPArchive.Timings(WaterfallSpan.spans(of: metrics, now: now))
        return HTTPArchive.Entry(
            startedDateTime: startedDateTime,
            time: timings.total,
            request: request(state.content, metrics, view),
            response: response(state.response, metrics, view),
            timings: timings,
            serverIPAddress: metrics.remoteAddress.map(Self.host),
            connection: metrics.connectionNumber.map { String($0) },
            comment: metrics.end == nil ? "it had not ended yet" : nil,
            cause: record.cause.rawValue,
            requestNumber: Int64(clamping: requestID.number),
            streamNumber: metrics.streamNumber.map { Int64($0) }
        )
    }

    /// Returns the address without its port and, for IPv6, its brackets.
    private static func host(_ address: String) -> String {
        if address.hasPrefix("[") { return String(address.dropFirst().prefix { $0 != "]" }) }
        return String(address.prefix { $0 != ":" })
    }

    /// Returns the version as in a status line.
    private static func version(_ metrics: ExchangeMetrics) -> String {
        switch metrics.networkProtocol {
        case "h2": "HTTP/2.0"
        case let name?: name.uppercased()
        case nil: "unknown"
        }
    }

    // MARK: The request

    private func request(_ content: Captured, _ metrics: ExchangeMetrics, _ view: HARView) -> HTTPArchive.Request {
        let target = record.target
        let query = target.path.drop { $0 != "?" }.dropFirst()
        let cookies = fields[fields: .cookie].flatMap { field in
            // Split by scalars, because a combining character merges with the preceding separator.
            field.value.unicodeScalars.split(separator: ";").map { pair in
                let (name, value) = view.cookie(Substring(pair))
                return HTTPArchive.Cookie(name: name, value: value)
            }
        }
        return HTTPArchive.Request(
            method: record.method.rawValue,
            url: view.url(target.uri),
            httpVersion: Self.version(metrics),
            cookies: cookies,
            headers: sentFields.map { HTTPArchive.Pair(name: $0.name.rawName, value: view.value(of: $0)) },
            queryString: view.pairs(query).map { HTTPArchive.Pair(name: $0.name, value: $0.value) },
            postData: hasContent ? postData(content, view) : nil,
            headersSize: metrics.requestHeadBytes > 0 ? Int64(metrics.requestHeadBytes) : nil,
            bodySize: metrics.requestBodyBytes
        )
    }

    /// The fields in the order on the wire: `Host` first, the framing of the body last.
    private var sentFields: [HTTPField] {
        let hosts = fields.filter { $0.name.canonicalName == "host" }
        var written: Set = ["host", "content-length", "transfer-encoding"]
        // RFC 9110 §10.1.1: no expectation without a body.
        if framing.map({ $0.value == "0" }) ?? true { written.insert("expect") }
        let others = fields.filter { !written.contains($0.name.canonicalName) }
        let host = HTTPField.Name("Host").map { HTTPField(name: $0, value: record.target.authority) }
        return (hosts.first ?? host).map { [$0] + others + [framing].compactMap(\.self) } ?? Array(others)
    }

    private func postData(_ content: Captured, _ view: HARView) -> HTTPArchive.PostData {
        let mimeType = fields[.contentType] ?? ""
        var data = HTTPArchive.PostData(mimeType: view.text(mimeType))
        let cut = content.isWhole ? nil : "cut off after \(content.data.count) of \(content.count) bytes"
        let boundary = FieldParameters.value(of: "boundary", in: mimeType)
        if ContentShape(content.data, contentType: mimeType).isForm {
            data.params = view.pairs(String(decoding: content.data, as: UTF8.self))
                .map { HTTPArchive.Parameter(name: $0.name, value: $0.value) }
            data.comment = cut
        } else if let boundary, MediaType(mimeType).map({ "\($0.type)/\($0.subtype)" }) == "multipart/form-data" {
            data.params = HARForm.parts(of: content.data, boundary: boundary, view)
            data.comment = cut
        } else {
            let text = HARText(content, contentType: mimeType, isCoded: fields.contains(.contentEncoding), view)
            data.text = text.text
            data.encoding = text.encoding
            data.comment = text.comment
        }
        return data
    }

    // MARK: The response

    private func response(
        _ response: RecordedResponse?,
        _ metrics: ExchangeMetrics,
        _ view: HARView
    ) -> HTTPArchive.Response {
        let error = metrics.error.map { "\($0.code.name): \(Redaction.text($0.detail))" }
        guard let response else {
            var response = HTTPArchive.Response.missing
            response.httpVersion = Self.version(metrics)
            response.error = error
            return response
        }
        // The bytes are those of the head alone if there was no chunked framing and no informational response.
        let isHeadAlone = !response.fields.contains(.transferEncoding) && metrics.informational.isEmpty
        return HTTPArchive.Response(
            status: response.status.code,
            statusText: view.text(response.status.reasonPhrase),
            httpVersion: Self.version(metrics),
            cookies: response.fields[fields: .setCookie].map { cookie($0.value, view) },
            headers: response.fields.map { HTTPArchive.Pair(name: $0.name.rawName, value: view.value(of: $0)) },
            content: content(response, metrics, view),
            redirectURL: response.fields[.location].map(view.url) ?? "",
            headersSize: isHeadAlone && metrics.responseHeadBytes > 0 ? Int64(metrics.responseHeadBytes) : nil,
            bodySize: metrics.responseBodyBytes,
            error: error
        )
    }

    private func content(
        _ response: RecordedResponse,
        _ metrics: ExchangeMetrics,
        _ view: HARView
    ) -> HTTPArchive.Content {
        let mimeType = response.fields[.contentType] ?? ""
        let isCoded = response.fields.contains(.contentEncoding)
        guard let captured = response.content else {
            // The decoded body was not read.
            return HTTPArchive.Content(size: isCoded ? nil : metrics.responseBodyBytes, mimeType: view.text(mimeType))
        }
        let size = max(captured.count, metrics.responseBodyBytes)
        var content = HTTPArchive.Content(size: size, mimeType: view.text(mimeType))
        if isCoded, response.isDecoded {
            content.size = captured.count
            content.compression = captured.count - metrics.responseBodyBytes
        }
        let text = HARText(captured, contentType: mimeType, isCoded: isCoded && !response.isDecoded, view)
        content.text = text.text
        content.encoding = text.encoding
        content.comment = text.comment
        return content
    }

    /// Returns the cookie of a `Set-Cookie` field, according to RFC 6265 §5.2.
    private func cookie(_ value: String, _ view: HARView) -> HTTPArchive.Cookie {
        let scalars = value.unicodeScalars
        let pair = scalars.prefix { $0 != ";" }
        let (name, shown) = view.cookie(Substring(pair))
        var cookie = HTTPArchive.Cookie(name: name, value: shown, httpOnly: false, secure: false)
        for attribute in scalars[pair.endIndex...].split(separator: ";") {
            let text = Substring(attribute.drop { $0 != "=" }.dropFirst()).trimmed
            switch Substring(attribute.prefix { $0 != "=" }).trimmed.lowercased() {
            case "path": cookie.path = view.text(text)
            case "domain": cookie.domain = view.text(text)
            case "expires": cookie.expires = cookie.expires ?? HTTPDate.date(text, now: startedDateTime)
            case "max-age":
                // Limited, because clocks do not reach further. A cookie store may apply a shorter limit.
                let age = Double(text).flatMap { $0.isNaN ? nil : min(max($0, -1), 4e9) }
                cookie.expires = age.map { startedDateTime.addingTimeInterval($0.rounded()) } ?? cookie.expires
            case "httponly": cookie.httpOnly = true
            case "secure": cookie.secure = true
            default: break
            }
        }
        return cookie
    }
}

/// A recorded body, as text for an archive.
private struct HARText {
    private(set) var text: String?
    private(set) var encoding: String?
    private(set) var comment: String?

    init(_ content: HARRecording.Captured, contentType: String, isCoded: Bool, _ view: HARView) {
        let whole = "\(content.data.count) of \(content.count) bytes"
        comment = content.isWhole ? nil : "cut off after \(whole)"
        guard !content.data.isEmpty else {
            text = content.isWhole ? "" : nil
            return
        }
        let shape = ContentShape(content.data, contentType: contentType)
        let isClosed = isCoded || (shape.hasParts || shape.isToken) && !view.includesSecrets
        if !isClosed, let decoded = Self.decode(content, contentType: contentType) {
            text = shape.isForm ? view.query(decoded) : view.text(decoded)
        } else if view.includesSecrets {
            text = content.data.base64EncodedString()
            encoding = "base64"
        } else if shape.isToken {
            comment = "left out: it is a token"
        } else if shape.hasParts {
            comment = "left out: its parts may be secret"
        } else {
            comment = "left out: it is not text, so its secrets can't be found"
        }
    }

    /// Returns the text, `nil` if the bytes are not text.
    private static func decode(_ content: HARRecording.Captured, contentType: String) -> String? {
        var data = content.data
        let label = CharacterSetDecoding.label(ofContentType: contentType)
        let isKnown = label.flatMap { Charset(label: $0) } != nil
        if !isKnown {
            // The limit may have cut a character.
            let letters = content.isWhole ? 0 : 3
            guard
                let end = (0...letters).first(where: { String(validating: data.dropLast($0), as: UTF8.self) != nil })
            else { return nil }
            data = data.dropLast(end)
            guard !data.contains(0) else { return nil }
        }
        return try? CharacterSetDecoding.string(Data(data), encoding: nil, contentType: isKnown ? contentType : nil)
    }
}

extension HTTPArchive.Timings {
    /// Sums the durations of an exchange's spans by phase.
    init(_ spans: [WaterfallSpan]) {
        func time(_ phase: WaterfallPhase) -> Duration? {
            let durations = spans.filter { $0.phase == phase }.map(\.duration)
            return durations.isEmpty ? nil : durations.reduce(.zero, +)
        }
        let tls = time(.tls)
        let connecting = time(.connect).map { $0 + (tls ?? .zero) } ?? tls
        self.init(
            blocked: time(.queue),
            dns: time(.resolve),
            connect: connecting,
            ssl: tls,
            send: time(.send) ?? .zero,
            wait: time(.wait) ?? .zero,
            receive: time(.receive) ?? .zero
        )
    }
}
