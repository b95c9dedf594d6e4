internal import ApusEngine
internal import FuzzDriver
internal import HTTPTypes
internal import NIOCore

@main enum HTTP1Fuzz {
    static func main() throws {
        if CommandLine.arguments.dropFirst().first == "verdicts" { return try writeVerdicts() }
        runFuzzer(testOneInput)
    }
}

/// Runs one input: two bytes that select the parameters, followed by the bytes of a server.
@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let start, count > 2 else { return 0 }
    let input = UnsafeBufferPointer(start: start, count: count)
    let methods: [HTTPRequest.Method] = [.get, .head, .connect, .post]
    let method = methods[Int(input[0] & 3)]
    let closes = input[0] & 4 == 0
    var limits = input[0] & 8 == 0 ? HTTP1Limits() : tight
    limits.isStrict = input[0] & 16 != 0
    let requestsUpgrade = input[0] & 32 == 0
    let bytes = Array(input.dropFirst(2))

    let whole = HTTP1Transcript(
        of: bytes,
        method: method,
        limits: limits,
        requestsUpgrade: requestsUpgrade,
        closes: closes
    )
    check(whole, of: bytes, limits)
    let single = HTTP1Transcript(
        of: bytes,
        cuts: Array(1..<bytes.count),
        method: method,
        limits: limits,
        requestsUpgrade: requestsUpgrade,
        closes: closes
    )
    require(single == whole, "byte by byte differs from whole:\n\(single)\n\n\(whole)")
    let cuts = cuts(seed: input[1], count: bytes.count)
    let pieces = HTTP1Transcript(
        of: bytes,
        cuts: cuts,
        method: method,
        limits: limits,
        requestsUpgrade: requestsUpgrade,
        closes: closes
    )
    require(pieces == whole, "cut at \(cuts) differs from whole:\n\(pieces)\n\n\(whole)")
    checkModes(bytes, method, limits)
    checkReuse(bytes, cuts, method, limits, seed: input[1])
    checkEncoder(whole, bytes)
    return 0
}

private let tight = HTTP1Limits(
    responseHeadBytes: 96,
    fieldBytes: 40,
    fieldCount: 4,
    informationalResponses: 2,
    chunkSizeLineBytes: 12,
    trailerBytes: 40
)

private func cuts(seed: UInt8, count: Int) -> [Int] {
    var cuts: [Int] = []
    var state = UInt32(seed) &+ 1
    var position = 0
    while true {
        state = state &* 1_664_525 &+ 1_013_904_223
        position += 1 + Int(state >> 16) % (seed < 128 ? 7 : 61)
        guard position < count else { return cuts }
        cuts.append(position)
    }
}

/// Checks the invariants of a transcript, which hold for all input.
private func check(_ transcript: HTTP1Transcript, of bytes: [UInt8], _ limits: HTTP1Limits) {
    var bodyBytes = 0
    var heads = 0
    for entry in transcript.entries {
        switch entry {
        case .informational(let head), .head(let head):
            heads += 1
            require((100...999).contains(head.code), "code \(head.code)")
            require(head.minorVersion <= 1, "minor version \(head.minorVersion)")
            require(head.framing != .untilClose || !head.keepAlive, "framed until close, but kept alive")
            require(head.framing != .upgraded || !head.keepAlive, "upgraded, but kept alive")
            check(head.fields, limits)
        case .body(let body): bodyBytes += body.count
        case .end(let trailers): check(trailers ?? [], limits)
        case .failure: break
        }
    }
    require(bodyBytes + transcript.leftOver <= bytes.count, "more bytes than the input has")
    require(heads <= limits.informationalResponses + 1, "\(heads) heads")
    if case .length(let count)? = finalHead(transcript)?.framing {
        require(bodyBytes <= count, "a body of \(bodyBytes) bytes for a length of \(count)")
        require(!transcript.isComplete || bodyBytes == count, "ended after \(bodyBytes) of \(count) bytes")
    }
}

/// Checks that the lenient parser reads every response that the strict one accepts, with the same result, and that it
/// rejects every other response except for permitted deviations.
private func checkModes(_ bytes: [UInt8], _ method: HTTPRequest.Method, _ limits: HTTP1Limits) {
    var strict = limits
    strict.isStrict = true
    var lenient = limits
    lenient.isStrict = false
    let refusing = HTTP1Transcript(of: bytes, method: method, limits: strict)
    let accepting = HTTP1Transcript(of: bytes, method: method, limits: lenient)
    switch refusing.failure {
    case nil:
        require(accepting == refusing, "lenient differs from strict:\n\(accepting)\n\n\(refusing)")
    case .obsoleteFold, .tooManyFields, .bareLineFeed, .chunkSizeInvalid, .transferCodingUnsupported,
        .lengthWithTransferEncoding, .transferEncodingInHTTP10, .contentLengthInvalid, .contentLengthConflict:
        break
    default:
        require(accepting.failure != nil, "only the lenient parser accepts:\n\(accepting)\n\n\(refusing)")
    }
}

private func check(_ fields: [HTTP1Transcript.Field], _ limits: HTTP1Limits) {
    require(fields.count <= limits.fieldCount, "\(fields.count) fields")
    for field in fields {
        require(HTTPField.Name(field.name) != nil, "name \(field.name)")
        require(HTTPField.isValidValue(field.value), "value \(field.value)")
        require(field.name.utf8.count + field.value.count < limits.fieldBytes, "a field above the limit")
    }
}

private func finalHead(_ transcript: HTTP1Transcript) -> HTTP1Transcript.Head? {
    for case .head(let head) in transcript.entries { return head }
    return nil
}

/// Checks that a reused parser reads a response like a new parser, especially after a nearly equal response.
private func checkReuse(
    _ bytes: [UInt8],
    _ cuts: [Int],
    _ method: HTTPRequest.Method,
    _ limits: HTTP1Limits,
    seed: UInt8
) {
    let new = HTTP1Transcript(of: bytes, method: method, limits: limits)
    for round in 0..<5 {
        var neighbour = bytes
        let index = (Int(seed) * 7 + round * 31) % bytes.count
        switch round {
        case 0: break
        case 1, 2: neighbour[index] ^= 0x20
        case 3: neighbour.remove(at: index)
        default: neighbour.insert(contentsOf: bytes[index..<min(bytes.count, index + 12)], at: index)
        }
        var parser = HTTP1ResponseParser(limits: limits)
        _ = HTTP1Transcript(of: neighbour, method: method, by: &parser)
        guard parser.isBetweenMessages else { continue }
        let next = HTTP1Transcript(of: bytes, cuts: round == 2 ? cuts : [], method: method, by: &parser)
        require(next == new, "a reused parser differs:\n\(next)\n\nfrom a new one:\n\(new)")
    }
}

/// Checks that the encoder never traps, and that the parser reads the encoded fields back unchanged.
private func checkEncoder(_ transcript: HTTP1Transcript, _ bytes: [UInt8]) {
    var fields = HTTPFields()
    for field in finalHead(transcript)?.fields ?? [] {
        guard let name = HTTPField.Name(field.name) else { continue }
        if ["host", "content-length", "transfer-encoding"].contains(name.canonicalName) { continue }
        fields.append(HTTPField(name: name, value: field.value))
    }
    var buffer = ByteBuffer()
    let text = String(decoding: bytes.prefix(24), as: UTF8.self)
    let isEncoded: Bool? = try? HTTP1RequestEncoder.encode(
        method: .post,
        target: text,
        host: text,
        fields: fields,
        framing: .length(bytes.count),
        into: &buffer
    )
    if isEncoded == nil {
        require(buffer.readableBytes == 0, "bytes were written although encoding failed")
        do {
            try HTTP1RequestEncoder.encode(
                method: .post,
                target: "/",
                host: "h",
                fields: fields,
                framing: .chunked,
                into: &buffer
            )
        } catch {
            fatalError("cannot encode received fields: \(error)")
        }
    }
    let written = Array(buffer.readableBytesView)
    guard let line = written.firstIndex(of: 0x0A) else { fatalError("the encoder wrote no line") }
    let response = Array("HTTP/1.1 200 OK\r\n".utf8) + written[(line + 1)...]
    let back = HTTP1Transcript(of: response, method: .head)
    let expected = HTTP1Transcript.fields(fields)
    require(Array(finalHead(back)?.fields.dropFirst().dropLast() ?? []) == expected, "the fields have changed")
}
