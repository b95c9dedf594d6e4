internal import Apus
internal import HTTPTypes

/// What is shown of the exchanges of one request, in their order.
///
/// Usually that is the last request and the last response. With `showsAll` every exchange is shown, each request ahead of
/// its sending: the hops of a redirect, the 401 that a Digest answers, and the answers after which a request goes again.
actor Transcript {
    /// A response that may turn out to be the last.
    private struct Received {
        let head: MessageHead
        let informational: [MessageHead]
        let contentType: String?
        let content: [UInt8]
    }

    private let selection: OutputSelection
    /// Whether contents are shown as text.
    private let isSafe: Bool
    private let showsAll: Bool
    /// What the user says of the contents of answers.
    private let override: ContentOverride
    private var printer: MessagePrinter
    private var request: (head: MessageHead, contentType: String?, body: RequestBody)?
    private var response: Received?
    /// The last request.
    private(set) var message: RequestMessage?

    init(
        _ printer: MessagePrinter,
        selection: OutputSelection,
        showsAll: Bool,
        override: ContentOverride = ContentOverride()
    ) {
        self.override = override
        self.isSafe = printer.style.isSafe
        self.printer = printer
        self.selection = selection
        self.showsAll = showsAll
    }

    /// A request is about to be sent; a response before it was not the last one.
    func willSend(_ message: RequestMessage) async throws {
        if showsAll, let response { try show(response) }
        response = nil
        self.message = message
        request = (MessageHead(message), message.fields[.contentType], message.body)
        if showsAll { try await showRequest() }
    }

    /// A response came; its content, where it is a redirect that will be followed.
    func didReceive(_ message: ResponseMessage, content: [UInt8]) {
        response = Received(
            head: MessageHead(status: message.status, fields: message.fields),
            informational: message.record.metrics.informational.map {
                MessageHead(status: $0.status, fields: $0.headerFields)
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

    /// A sentence about a content whose charset can't be decoded; `nil` if it can, or bytes are shown as they are.
    nonisolated func complaint(of response: StreamedResponse) -> String? {
        guard isSafe else { return nil }
        return ContentDescription(response.fields[.contentType], override: override).complaint
    }

    /// Shows the content of the last response as it comes, as much of it as can be shown.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - readsOn: Whether the rest is read as well, for who notes it.
    /// - Throws: What reading it and writing it throw.
    func showContent(of response: StreamedResponse, readsOn: Bool) async throws {
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
            // What came is shown, and the sentence about the rest begins a line.
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

    /// Shows lines below all else.
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

    /// Shows what is to be sent without holding it in memory.
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
