internal import ApusEngine
internal import HTTPTypes
internal import NIOCore

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// SwiftPM gives every executable a main of its own, so libFuzzer is called from there.
@main enum HTTP1Fuzz {
    static func main() {
        var count = CommandLine.argc
        var arguments = CommandLine.unsafeArgv
        let result = runDriver(&count, &arguments, testOneInput)
        precondition(result == 0, "the fuzzer ended with \(result)")
    }
}

/// Takes an input: two bytes that choose the circumstances, then what a server might send.
@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let start, count > 2 else { return 0 }
    let input = UnsafeBufferPointer(start: start, count: count)
    let methods: [HTTPRequest.Method] = [.get, .head, .connect, .post]
    let method = methods[Int(input[0] & 3)]
    let closes = input[0] & 4 == 0
    let limits = input[0] & 8 == 0 ? HTTP1Limits() : tight
    let bytes = Array(input.dropFirst(2))

    let whole = HTTP1Transcript(of: bytes, method: method, limits: limits, closes: closes)
    check(whole, of: bytes, limits)
    let single = HTTP1Transcript(
        of: bytes,
        cuts: Array(1..<bytes.count),
        method: method,
        limits: limits,
        closes: closes
    )
    require(single == whole, "byte by byte differs from whole:\n\(single)\n\n\(whole)")
    let cuts = cuts(seed: input[1], count: bytes.count)
    let pieces = HTTP1Transcript(of: bytes, cuts: cuts, method: method, limits: limits, closes: closes)
    require(pieces == whole, "cut at \(cuts) differs from whole:\n\(pieces)\n\n\(whole)")
    checkReuse(whole, bytes, cuts, method, limits)
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

private func require(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fatalError(message()) }
}

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

/// What holds for every transcript, whatever the bytes.
private func check(_ transcript: HTTP1Transcript, of bytes: [UInt8], _ limits: HTTP1Limits) {
    var bodyBytes = 0
    var heads = 0
    for entry in transcript.entries {
        switch entry {
        case .informational(let head), .head(let head):
            heads += 1
            require((100...999).contains(head.code), "code \(head.code)")
            require(head.minorVersion <= 1, "minor version \(head.minorVersion)")
            require(head.framing != .untilClose || !head.keepAlive, "until close, and alive")
            require(head.framing != .upgraded || !head.keepAlive, "upgraded, and alive")
            check(head.fields, limits)
        case .body(let body): bodyBytes += body.count
        case .end(let trailers): check(trailers ?? [], limits)
        case .failure: break
        }
    }
    require(bodyBytes + transcript.leftOver <= bytes.count, "more bytes than came")
    require(heads <= limits.informationalResponses + 1, "\(heads) heads")
    if case .length(let count)? = finalHead(transcript)?.framing {
        require(bodyBytes <= count, "a body of \(bodyBytes) bytes for a length of \(count)")
        require(!transcript.isComplete || bodyBytes == count, "the end after \(bodyBytes) of \(count) bytes")
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

/// A parser that has read a response reads the next one as a new parser does.
private func checkReuse(
    _ whole: HTTP1Transcript,
    _ bytes: [UInt8],
    _ cuts: [Int],
    _ method: HTTPRequest.Method,
    _ limits: HTTP1Limits
) {
    var parser = HTTP1ResponseParser(limits: limits)
    var last: HTTP1Transcript?
    for round in 0..<3 {
        last = HTTP1Transcript(of: bytes, cuts: round == 1 ? cuts : [], method: method, by: &parser)
        guard parser.isBetweenMessages else { return }
        // Another response in between, alike in its first lines.
        let half = Array(bytes.prefix(bytes.count / 2)) + Array("\r\n\r\n".utf8)
        var other = parser
        _ = HTTP1Transcript(of: half, method: .head, by: &other)
        if other.isBetweenMessages { parser = other }
        let again = HTTP1Transcript(of: bytes, method: method, by: &parser)
        require(again == last, "a used parser differs:\n\(again)\n\nfrom\n\(last.map(\.description) ?? "")")
        guard parser.isBetweenMessages else { return }
    }
    if let last, whole.isComplete { require(last == whole, "a used parser differs:\n\(last)\n\nfrom new\n\(whole)") }
}

/// What the encoder writes of received fields comes back as the same fields, and it never traps.
private func checkEncoder(_ transcript: HTTP1Transcript, _ bytes: [UInt8]) {
    var fields = HTTPFields()
    for field in finalHead(transcript)?.fields ?? [] {
        guard let name = HTTPField.Name(field.name) else { continue }
        if ["host", "content-length", "transfer-encoding"].contains(name.canonicalName) { continue }
        fields.append(HTTPField(name: name, value: field.value))
    }
    var buffer = ByteBuffer()
    let text = String(decoding: bytes.prefix(24), as: UTF8.self)
    let isEncoded: Void? = try? HTTP1RequestEncoder.encode(
        method: .post,
        target: text,
        host: text,
        fields: fields,
        framing: .length(bytes.count),
        into: &buffer
    )
    if isEncoded == nil {
        require(buffer.readableBytes == 0, "a fault left bytes")
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
            fatalError("received fields can't be written: \(error)")
        }
    }
    let written = Array(buffer.readableBytesView)
    guard let line = written.firstIndex(of: 0x0A) else { fatalError("no line was written") }
    let response = Array("HTTP/1.1 200 OK\r\n".utf8) + written[(line + 1)...]
    let back = HTTP1Transcript(of: response, method: .head)
    let expected = HTTP1Transcript.fields(fields)
    require(Array(finalHead(back)?.fields.dropFirst().dropLast() ?? []) == expected, "fields came back otherwise")
}
