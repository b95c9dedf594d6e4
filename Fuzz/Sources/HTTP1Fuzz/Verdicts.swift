internal import ApusEngine
internal import Foundation
internal import HTTPTypes
internal import NIOHTTP1

/// Reads lines with a method and the bytes of a server in hexadecimal. Writes one line of JSON for each, with the
/// verdicts of the codec of Apus, lenient and strict, and of SwiftNIO's. Used by `Scripts/compare-parsers`.
func writeVerdicts() throws {
    while let line = readLine() {
        let parts = line.split(separator: " ")
        guard parts.count == 2, let method = HTTPRequest.Method(String(parts[0])) else { continue }
        let bytes = Verdict.bytes(parts[1])
        let lenient = HTTP1Transcript(of: bytes, method: method, requestsUpgrade: false)
        let strict = HTTP1Transcript(of: bytes, method: method, limits: .strict, requestsUpgrade: false)
        let verdicts = [
            "lenient": Verdict(lenient, of: bytes), "strict": Verdict(strict, of: bytes),
            "nio": Verdict.nio(bytes, method, expectedEnd: bytes.count - lenient.leftOver),
        ]
        var data = try JSONEncoder().encode(verdicts)
        data.append(0x0A)
        FileHandle.standardOutput.write(data)
    }
}

/// A verdict in the common format of all parsers.
struct Verdict: Encodable {
    var error: String?
    var codes: [Int] = []
    var fields: [[String]] = []
    var body = ""
    var end: Int?
    var keepsAlive: Bool?
    var framing: String?

    enum CodingKeys: String, CodingKey {
        case error, codes, fields, body, end, keepsAlive, framing
    }

    init(_ transcript: HTTP1Transcript, of bytes: [UInt8]) {
        error = transcript.failure.map(\.kind)
        for case .informational(let head) in transcript.entries { codes.append(head.code) }
        if let head = transcript.head {
            codes.append(head.code)
            fields = head.fields.map { [$0.name, Self.hexadecimal($0.value)] }
            keepsAlive = head.keepAlive
            framing = "\(head.framing)"
        }
        body = Self.hexadecimal(transcript.body)
        if transcript.isComplete { end = bytes.count - transcript.leftOver }
    }

    init(_ verdict: NIOHTTP1Verdict) {
        error = verdict.isComplete ? nil : verdict.error.map { "\($0)" } ?? "incomplete"
        codes = verdict.heads.map { Int($0.code) }
        fields = (verdict.heads.last?.fields ?? []).map { line in
            let name = line.prefix { $0 != ":" }
            return [String(name), Self.hexadecimal(Array(line.utf8.dropFirst(name.utf8.count + 2)))]
        }
        keepsAlive = verdict.heads.last?.isKeepAlive
        body = Self.hexadecimal(verdict.body)
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Encodes every key, with null for a missing value.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(error, forKey: .error)
        try container.encode(codes, forKey: .codes)
        try container.encode(fields, forKey: .fields)
        try container.encode(body, forKey: .body)
        try container.encode(end, forKey: .end)
        try container.encode(keepsAlive, forKey: .keepsAlive)
        try container.encode(framing, forKey: .framing)
    }
}

extension Verdict {
    fileprivate static func bytes(_ text: Substring) -> [UInt8] {
        var bytes: [UInt8] = []
        var high: UInt8?
        for digit in text.utf8 {
            let value = digit < 0x3A ? digit - 0x30 : digit - 0x57
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }

    /// Returns the verdict of SwiftNIO, which does not report the end of a response. Finds the end by parsing the bytes
    /// up to the expected end. If the response ends elsewhere, tries every prefix.
    fileprivate static func nio(_ bytes: [UInt8], _ method: HTTPRequest.Method, expectedEnd: Int) -> Verdict {
        let whole = NIOHTTP1Verdict(of: bytes, method: method)
        var verdict = Verdict(whole)
        guard whole.isComplete else { return verdict }
        guard whole.isCompleteBeforeClose else {
            verdict.end = bytes.count
            return verdict
        }
        func isComplete(_ count: Int) -> Bool {
            NIOHTTP1Verdict(of: Array(bytes[..<count]), method: method).isCompleteBeforeClose
        }
        if isComplete(expectedEnd), !isComplete(expectedEnd - 1) {
            verdict.end = expectedEnd
        } else {
            verdict.end = (1...bytes.count).first(where: isComplete)
        }
        return verdict
    }
}

extension HTTP1ParseError {
    /// The name of the case.
    fileprivate var kind: String {
        switch self {
        case .statusLineInvalid: "statusLineInvalid"
        case .statusLineTooLong: "statusLineTooLong"
        case .versionUnsupported: "versionUnsupported"
        case .fieldNameInvalid: "fieldNameInvalid"
        case .fieldValueInvalid: "fieldValueInvalid"
        case .obsoleteFold: "obsoleteFold"
        case .whiteSpaceAheadOfFields: "whiteSpaceAheadOfFields"
        case .bareLineFeed: "bareLineFeed"
        case .bareCarriageReturn: "bareCarriageReturn"
        case .headTooLarge: "headTooLarge"
        case .fieldTooLarge: "fieldTooLarge"
        case .tooManyFields: "tooManyFields"
        case .tooManyInformational: "tooManyInformational"
        case .contentLengthInvalid: "contentLengthInvalid"
        case .contentLengthConflict: "contentLengthConflict"
        case .lengthWithTransferEncoding: "lengthWithTransferEncoding"
        case .framingFieldFolded: "framingFieldFolded"
        case .transferCodingUnsupported: "transferCodingUnsupported"
        case .transferEncodingInHTTP10: "transferEncodingInHTTP10"
        case .chunkSizeInvalid: "chunkSizeInvalid"
        case .chunkSizeLineTooLong: "chunkSizeLineTooLong"
        case .chunkDataUnterminated: "chunkDataUnterminated"
        case .trailersTooLarge: "trailersTooLarge"
        case .unrequestedUpgrade: "unrequestedUpgrade"
        case .cutOff: "cutOff"
        }
    }
}
