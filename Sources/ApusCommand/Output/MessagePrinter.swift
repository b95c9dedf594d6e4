/// Writes heads and bodies, separated by empty lines.
struct MessagePrinter {
    private let channel: OutputChannel
    let style: OutputStyle
    /// The number of line feeds at the end of the output, at most 2.
    private var lineFeeds = 2

    init(_ channel: OutputChannel, style: OutputStyle) {
        self.channel = channel
        self.style = style
    }

    /// Writes a head and the empty line after it.
    mutating func write(_ head: MessageHead) throws(OutputFault) {
        try separate()
        try write(head.bytes(palette: style.palette, isSafe: style.isSafe, sortsFields: style.sortsFields))
    }

    /// Writes lines of text.
    mutating func write(lines: [String]) throws(OutputFault) {
        try separate()
        try write(Array(lines.map { "\($0)\n" }.joined().utf8))
    }

    /// Writes an empty line, unless there is one already or no output yet.
    mutating func separate() throws(OutputFault) {
        try write([UInt8](repeating: 0x0A, count: 2 - lineFeeds))
    }

    /// Ends an incomplete last line on a terminal, where the prompt follows.
    mutating func endLine() throws(OutputFault) {
        if channel.isTerminal, lineFeeds == 0 { try write([0x0A]) }
    }

    /// Writes a piece of a body.
    mutating func write(_ bytes: [UInt8]) throws(OutputFault) {
        guard !bytes.isEmpty else { return }
        try channel.write(bytes)
        note(bytes.suffix(4))
    }

    /// Writes a piece of a body without copying it.
    mutating func write(raw bytes: UnsafeRawBufferPointer) throws(OutputFault) {
        guard !bytes.isEmpty else { return }
        try channel.sink.write(bytes)
        note(bytes.suffix(4))
    }

    private mutating func note(_ tail: some BidirectionalCollection<UInt8>) {
        var count = 0
        for byte in tail.reversed() where byte != 0x0D {
            guard byte == 0x0A else { break }
            count += 1
        }
        let isAllLineFeeds = tail.allSatisfy { $0 == 0x0A || $0 == 0x0D }
        lineFeeds = min(2, isAllLineFeeds ? lineFeeds + count : count)
    }
}
