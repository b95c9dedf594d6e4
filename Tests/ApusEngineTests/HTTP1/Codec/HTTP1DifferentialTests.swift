internal import ApusEngine
internal import HTTPTypes
internal import NIOHTTP1
internal import Testing

/// Compares the parser with NIOHTTP1's decoder (llhttp) on generated and damaged responses.
///
/// Only the differences listed here are allowed, and each of them must occur: the list is the complete account of where
/// this parser is stricter, or follows the RFC where the other does not. Where the lenient and the strict parser
/// differ, the strict parser's error gives the reason.
@Suite struct HTTP1DifferentialTests {
    enum Difference: String, CaseIterable {
        // Stricter: NIOHTTP1 accepts.
        case unknownTransferCoding = "any transfer coding but chunked is rejected, not ignored"
        case transferEncodingInHTTP10 = "HTTP/1.0 has no Transfer-Encoding (RFC 9112 §6.1)"
        case emptyLineAheadOfStatusLine = "empty lines are skipped before requests only (RFC 9112 §2.2)"
        case controlInReason = "a reason phrase contains no DEL (RFC 9112 §4)"
        case lengthAboveIntMax = "a length above Int.max is invalid"
        case bareCarriageReturn = "a CR without an LF is rejected (RFC 9112 §2.2)"
        case malformedExtension = "a chunk extension must be well formed (RFC 9112 §7.1.1)"
        case closeWins = "`close` beats `keep-alive` (RFC 9112 §9.3)"
        case lengthWhereNoBodyMayBe = "a 204 that declares a body closes its connection (RFC 9110 §8.6)"
        case forbiddenTrailer = "a field that is only allowed in a head is dropped from the trailers (RFC 9110 §6.5.1)"
        // According to the RFC, where NIOHTTP1 rejects or reads differently.
        case repeatedLength = "a repeated length counts once (RFC 9110 §8.6)"
        case blanksInExtensions = "BWS may surround the delimiters of a chunk extension (RFC 9112 §7.1.1)"
        case quotedExtension = "a quoted string may contain any text (RFC 9112 §7.1.1)"
        case laterMinorVersion = "a later minor version is read as 1.1 (RFC 9110 §2.5)"
        case closeInInformational = "`close` in an informational response takes effect later (RFC 9112 §9.6)"
        case framingOfATunnel = "a 2xx response to CONNECT has no framing fields (RFC 9110 §9.3.6)"
        case bodyOfARejectedTunnel = "only a 2xx response to CONNECT has no body (RFC 9112 §6.3)"
        case whiteSpaceAroundValue = "white space around a value is not part of it (RFC 9110 §5.5)"
        case persistenceWithoutBody = "a response without a body needs no length to persist (RFC 9112 §9.3)"
        case upgradedIsOver = "no response follows a switch of protocols (RFC 9110 §7.8)"
        // Lenient: only the strict parser rejects, as NIOHTTP1 does.
        case obsoleteFold = "a user agent replaces obs-fold with spaces (RFC 9112 §5.2)"
        case lineFeed = "a lone LF ends a line (RFC 9112 §2.2)"
        case spacesAfterChunkSize = "spaces may follow a chunk size"
        case identity = "`identity` is no transfer coding"
        case framingWithoutBody = "framing fields of a response without a body are not checked (RFC 9112 §6.3)"

        static let lenient: Set<Difference> = [
            .obsoleteFold, .lineFeed, .spacesAfterChunkSize, .identity, .framingWithoutBody,
        ]
    }

    @Test(arguments: [false, true])
    func differsFromNIOHTTP1OnlyWhereListed(isStrict: Bool) {
        var generator = HTTP1Generator(seed: 0xA9_05)
        var met: Set<Difference> = []
        var agreements = (accepted: 0, refused: 0)
        for _ in 0..<20_000 {
            let method = generator.method()
            let bytes = generator.response()
            let strict = HTTP1Transcript(of: bytes, method: method, limits: .strict)
            let ours = isStrict ? strict : HTTP1Transcript(of: bytes, method: method)
            let theirs = NIOHTTP1Verdict(of: bytes, method: method)
            guard let found = Self.differences(bytes, method, ours, strict, theirs) else {
                let text = String(decoding: bytes, as: UTF8.self).debugDescription
                Issue.record("unexplained: \(method) \(text)\nours:\n\(ours)\ntheirs:\n\(theirs)")
                continue
            }
            met.formUnion(found)
            if found.isEmpty {
                if ours.isComplete { agreements.accepted += 1 } else { agreements.refused += 1 }
            }
        }
        #expect(met == Set(Difference.allCases).subtracting(isStrict ? Difference.lenient : []))
        // The comparison is meaningful only if both sides accept and reject many responses.
        #expect(agreements.accepted > 2_000)
        #expect(agreements.refused > 2_000)
    }

    /// Returns the reasons for the difference between two verdicts: empty if they agree, `nil` if it is unexplained.
    private static func differences(
        _ bytes: [UInt8],
        _ method: HTTPRequest.Method,
        _ ours: HTTP1Transcript,
        _ strict: HTTP1Transcript,
        _ theirs: NIOHTTP1Verdict
    ) -> Set<Difference>? {
        guard let failure = strict.failure, ours.failure == nil else {
            return differences(bytes, method, ours, theirs)
        }
        return theirs.isComplete ? differences(bytes, method, ours, theirs) : lenient(ours, failure).map { [$0] }
    }

    /// Returns why the lenient parser accepts a response that the strict parser and NIOHTTP1 reject.
    private static func lenient(_ ours: HTTP1Transcript, _ failure: HTTP1ParseError) -> Difference? {
        switch failure {
        case .obsoleteFold: .obsoleteFold
        case .bareLineFeed: .lineFeed
        case .chunkSizeInvalid: .spacesAfterChunkSize
        case _ where ours.head?.framing == HTTP1ResponseParser.Framing.none || ours.head?.code == 101:
            .framingWithoutBody
        case .transferCodingUnsupported: .identity
        default: nil
        }
    }

    /// Returns the reasons for the difference between two verdicts: empty if they agree, `nil` if it is unexplained.
    private static func differences(
        _ bytes: [UInt8],
        _ method: HTTPRequest.Method,
        _ ours: HTTP1Transcript,
        _ theirs: NIOHTTP1Verdict
    ) -> Set<Difference>? {
        if method == .connect, let head = ours.head, !(200..<300 ~= head.code), head.framing != .upgraded,
            head.framing != .none, theirs.heads.last.map({ Int($0.code) }) == head.code
        {
            return [.bodyOfARejectedTunnel]
        }
        return switch (ours.failure, theirs.isComplete) {
        case (_?, false): []
        case (let failure?, true): stricter(bytes, ours, failure).map { [$0] }
        case (nil, false): laxer(ours, theirs).map { [$0] }
        case (nil, true): readings(ours, theirs)
        }
    }

    private static func stricter(
        _ bytes: [UInt8],
        _ ours: HTTP1Transcript,
        _ failure: HTTP1ParseError
    ) -> Difference? {
        switch failure {
        case .transferCodingUnsupported: .unknownTransferCoding
        case .transferEncodingInHTTP10: .transferEncodingInHTTP10
        case .statusLineInvalid where ours.entries.count > 1: .controlInReason
        case .statusLineInvalid: bytes[0] == 0x0D ? .emptyLineAheadOfStatusLine : .controlInReason
        case .contentLengthInvalid: .lengthAboveIntMax
        case .bareCarriageReturn: .bareCarriageReturn
        case .chunkSizeInvalid: bytes.contains(0x3B) ? .malformedExtension : nil
        default: nil
        }
    }

    private static func laxer(_ ours: HTTP1Transcript, _ theirs: NIOHTTP1Verdict) -> Difference? {
        let head = ours.head
        if head?.framing == .upgraded, head?.code != 101 { return .framingOfATunnel }
        return switch theirs.error as? HTTPParserError {
        case .unexpectedContentLength?, .invalidContentLength?:
            head?.fields.contains { $0.name.lowercased() == "content-length" } == true ? .repeatedLength : nil
        case .invalidChunkSize?: head?.framing == .chunked ? .blanksInExtensions : nil
        case .strictModeAssertion?: head?.framing == .chunked ? .quotedExtension : nil
        case .invalidVersion?: .laterMinorVersion
        case .closedConnection?: theirs.heads.last.map { $0.code < 200 } == true ? .closeInInformational : nil
        default: nil
        }
    }

    /// Compares two readings of a response that both sides accept.
    private static func readings(_ ours: HTTP1Transcript, _ theirs: NIOHTTP1Verdict) -> Set<Difference>? {
        var found: Set<Difference> = []
        let heads = ours.entries.compactMap { entry in
            switch entry {
            case .informational(let head), .head(let head): head
            case .body, .end, .failure: nil
            }
        }
        guard heads.count == theirs.heads.count, ours.body == theirs.body else { return nil }
        for (head, other) in zip(heads, theirs.heads) {
            guard head.code == Int(other.code), Int(head.minorVersion) == other.minorVersion else { return nil }
            guard let difference = fields(head.fields, other.fields) else { return nil }
            found.formUnion(difference)
            if head.keepAlive == other.isKeepAlive { continue }
            switch head.framing {
            case .upgraded: found.insert(.upgradedIsOver)
            case .none where head.keepAlive: found.insert(.persistenceWithoutBody)
            case .none where head.code == 204: found.insert(.lengthWhereNoBodyMayBe)
            case .none where head.hasTransferEncoding: found.insert(.framingWithoutBody)
            case _ where !head.keepAlive: found.insert(.closeWins)
            default: return nil
            }
        }
        let trailers = theirs.trailers ?? []
        let kept = trailers.filter { line in
            guard let name = HTTPField.Name(String(line.prefix { $0 != ":" })) else { return true }
            return !forbidden.contains(name)
        }
        if kept.count < trailers.count { found.insert(.forbiddenTrailer) }
        guard let difference = fields(ours.trailers ?? [], kept) else { return nil }
        return found.union(difference)
    }

    private static let forbidden: [HTTPField.Name] = [
        .connection, .contentType, .trailer, .setCookie, .upgrade, .contentEncoding, .contentLength, .transferEncoding,
        HTTPField.Name("Host"),
    ].compactMap { $0 }

    private static func fields(_ ours: [HTTP1Transcript.Field], _ theirs: [String]) -> Set<Difference>? {
        let lines = ours.map(\.description)
        if lines == theirs { return [] }
        return lines == theirs.map(trimmed) ? [.whiteSpaceAroundValue] : nil
    }

    private static func trimmed(_ line: String) -> String {
        let name = line.prefix { $0 != ":" }
        var value = line.dropFirst(name.count + 2)
        while let last = value.last, last == "\t" || last == " " { value.removeLast() }
        return "\(name): \(value)"
    }
}

extension HTTP1Transcript.Head {
    fileprivate var hasTransferEncoding: Bool {
        fields.contains { $0.name.lowercased() == "transfer-encoding" }
    }
}
