internal import Apus
internal import HTTPTypes

/// Shows the exchanges of one request, in order.
///
/// By default, only the last request and the last response are shown. With `showsAll` every exchange is, each request
/// before it is sent: redirects, the 401 before Digest credentials, and the responses before a retry.
actor Transcript {
    /// A response that may be the last.
    private struct Received {
        let head: MessageHead
        let informational: [MessageHead]
        let contentType: String?
        let content: [UInt8]
    }

    private let selection: OutputSelection
    /// Whether bodies are shown as safe text, instead of raw bytes.
    private let isSafe: Bool
    private let showsAll: Bool
    /// The media type and charset that the user set for responses.
    private let override: ContentOverride
    /// Whether requests are shown as HTTP/2 before their protocol is known.
    private let assumesHTTP2: Bool
    /// Whether a successful response is the last one that is shown. The segments after it arrive at the same time.
    private let endsWithSuccess: Bool
    private var hasEnded = false
    private var printer: MessagePrinter
    private var request: (head: MessageHead, contentType: String?, body: RequestBody)?
    private var response: Received?
    /// The last request.
    private(set) var message: RequestMessage?
    /// Whether the body of the last response was sent with a content coding.
    private(set) var hasContentCoding = false

    init(
        _ printer: MessagePrinter,
        selection: OutputSelection,
        showsAll: Bool,
        override: ContentOverride = ContentOverride(),
        assumesHTTP2: Bool = false,
        endsWithSuccess: Bool = false
    ) {
        self.assumesHTTP2 = assumesHTTP2
        self.endsWithSuccess = endsWithSuccess
        self.override = override
        self.isSafe = printer.style.isSafe
        self.printer = printer
        self.selection = selection
        self.showsAll = showsAll
    }

    /// Records a request about to be sent. A response before it was not the last one.
    func willSend(_ message: RequestMessage) async throws {
        guard !hasEnded else { return }
        if showsAll, let response { try show(response) }
        response = nil
        self.message = message
        let head = MessageHead(message).spoken(in: assumesHTTP2 ? "h2" : nil)
        request = (head, message.fields[.contentType], message.body)
        if showsAll { try await showRequest() }
    }

    /// Records a response. `content` is the body of a redirect that is followed.
    func didReceive(_ message: ResponseMessage, content: [UInt8]) {
        guard !hasEnded else { return }
        hasEnded = endsWithSuccess && message.status.kind == .successful
        let metrics = message.record.metrics
        hasContentCoding = message.fields[.contentEncoding].map { $0.lowercased() != "identity" } ?? false
        if let head = request?.head { request?.head = head.spoken(in: metrics.networkProtocol) }
        response = Received(
            head: MessageHead(status: message.status, fields: message.fields).spoken(in: metrics.networkProtocol),
            informational: metrics.informational.map {
                MessageHead(status: $0.status, fields: $0.headerFields).spoken(in: metrics.networkProtocol)
            },
            contentType: message.fields[.contentType],
            content: content
        )
    }

    /// Shows the last request, and the head of the last response.
    func showFinalHeads() async throws {
        try await showRequest()
        guard selection.contains(.responseHead), let response else { return }
        if showsAll { for head in response.informational { try printer.write(head) } }
        try printer.write(response.head)
    }

    /// Returns a message if the charset of the body can't be decoded, or `nil` if it can or raw bytes are shown.
    nonisolated func complaint(of response: ReceivedResponse) -> String? {
        guard isSafe else { return nil }
        return ContentDescription(response.fields[.contentType], override: override).complaint
    }

    /// Shows the body of the last response while it arrives, as far as it can be shown.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - readsOn: Whether to read the rest too, for the archive.
    /// - Throws: The errors of reading and of writing.
    func showContent(of response: ReceivedResponse, readsOn: Bool) async throws {
        if !selection.contains(.responseHead) { try printer.separate() }
        var body = BodyPrinter(contentType: response.fields[.contentType], style: printer.style, override: override)
        let isRaw = !printer.style.isSafe
        var isShown = true
        do {
            for try await chunk in response.body where isShown {
                if isRaw {
                    try chunk.withUnsafeBytes { try printer.write(raw: $0) }
                    continue
                }
                var output: [UInt8] = []
                isShown = chunk.withUnsafeBytes { body.append($0, to: &output) }
                try printer.write(output)
                guard isShown || readsOn else { return }
            }
        } catch let error as ApusError {
            // Show the received part, and end its line before the error message.
            if isShown { try finish(&body) }
            throw error
        }
        if isShown { try finish(&body) }
    }

    private func finish(_ body: inout BodyPrinter) throws {
        var output: [UInt8] = []
        body.finish(into: &output)
        try printer.write(output)
        try printer.endLine()
    }

    /// Shows lines after all other output.
    func show(lines: [String]) throws {
        try printer.endLine()
        try printer.write(lines: lines)
    }

    private func show(_ response: Received) throws {
        if selection.contains(.responseHead) {
            for head in response.informational { try printer.write(head) }
            try printer.write(response.head)
        }
        guard selection.contains(.responseBody), !response.content.isEmpty else { return }
        if !selection.contains(.responseHead) { try printer.separate() }
        var body = BodyPrinter(contentType: response.contentType, style: printer.style, override: override)
        var output: [UInt8] = []
        _ = response.content.withUnsafeBytes { body.append($0, to: &output) }
        try printer.write(output)
        try finish(&body)
    }

    private func showRequest() async throws {
        guard let request else { return }
        self.request = nil
        if selection.contains(.requestHead) { try printer.write(request.head) }
        guard selection.contains(.requestBody), !request.body.isNone else { return }
        if !selection.contains(.requestHead) { try printer.separate() }
        try await show(request.body, contentType: request.contentType)
    }

    /// Shows the request body without loading it into memory.
    private func show(_ content: RequestBody, contentType: String?) async throws {
        var body = BodyPrinter(contentType: contentType, style: printer.style)
        let reader = try await content.open()
        while let chunk = try await reader.next() {
            var output: [UInt8] = []
            let wantsMore = chunk.withUnsafeBytes { body.append($0, to: &output) }
            try printer.write(output)
            guard wantsMore else { return }
        }
        try finish(&body)
    }
}
