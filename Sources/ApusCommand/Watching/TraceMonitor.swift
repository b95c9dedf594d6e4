internal import Apus
internal import Dispatch

/// Writes each event of a request to standard error, one line per event, with its time.
struct TraceMonitor: EventMonitor {
    let queue = DispatchQueue(label: "apus.trace")
    /// The lines carry the time at which they are written, so events must arrive without delay.
    let latency = Duration.zero
    let bodyPrefixBytes = 0

    private let channel: OutputChannel
    private let palette: Palette
    private let begin = MonotonicInstant.now

    init(_ console: Console) {
        channel = console.error
        palette = console.error.isTerminal && console.allowsColor ? .colored : .plain
    }

    func request(_ request: RequestSummary, did event: RequestEvent) {
        let time = begin.duration(to: .now).formatted
        var line: [UInt8] = []
        palette.paint(String(repeating: " ", count: max(0, 9 - time.count)) + time, as: .note, into: &line)
        line += "  ".utf8
        // Events omit their own secrets, but text from the server may contain terminal control sequences.
        let text = TerminalText.line("\(event)")
        if let role = Self.role(of: event) {
            palette.paint(text, as: role, into: &line)
        } else {
            line += text.utf8
        }
        // If standard error is closed, the response is still written.
        try? channel.write(line + [0x0A])
    }

    /// Returns after all events so far have been written.
    func flush() async {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume() }
        }
    }

    private static func role(of event: RequestEvent) -> Palette.Role? {
        switch event {
        case .creationFailed, .adaptationFailed, .cancelled, .retrying: .failure
        case .validated(let error): error == nil ? nil : .failure
        case .completed(let response), .serialized(let response): response.error == nil ? nil : .failure
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
