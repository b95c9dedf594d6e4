internal import Apus
internal import Dispatch

/// Tells each step of a request on standard error, a line each: when it was, and what.
struct TraceMonitor: EventMonitor {
    let queue = DispatchQueue(label: "apus.trace")
    /// Its lines say when they were told.
    let latency = Duration.zero

    private let channel: OutputChannel
    private let palette: Palette
    private let begin = MonotonicInstant.now

    init(_ console: Console) {
        channel = console.error
        palette = console.error.isTerminal && console.allowsColour ? .coloured : .plain
    }

    func request(_ request: RequestID, did event: RequestEvent) {
        let time = begin.duration(to: .now).spoken
        var line: [UInt8] = []
        palette.paint(String(repeating: " ", count: max(0, 9 - time.count)) + time, as: .note, into: &line)
        line += "  ".utf8
        // Events take their own secrets out; what a server calls things may still steer a terminal.
        let text = TerminalText.line("\(event)")
        if let role = Self.role(of: event) {
            palette.paint(text, as: role, into: &line)
        } else {
            line += text.utf8
        }
        // Who does not read it any more still gets the answer.
        try? channel.write(line + [0x0A])
    }

    /// Returns when everything was told that has happened.
    func flush() async {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume() }
        }
    }

    private static func role(of event: RequestEvent) -> Palette.Role? {
        switch event {
        case .creationFailed, .adaptationFailed, .cancelled, .retrying: .failure
        case .validated(let error), .completed(let error), .serialized(_, let error): error == nil ? nil : .failure
        case .responded(let response): Palette.role(ofStatus: response.status.code)
        case .exchangeEnded(let record): record.metrics.error == nil ? nil : .failure
        case .informational, .redirected, .challenged: .redirection
        case .waitingForConnectivity: .failure
        case .resumed, .suspended, .created, .adapted, .exchangeBegan, .contentSent, .destinationChosen,
            .contentReceived,
            .downloaded, .finished:
            nil
        }
    }
}
