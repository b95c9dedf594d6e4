/// Writes messages one below the other: heads, contents, an empty line between.
struct MessagePrinter {
    private let channel: OutputChannel
    let style: OutputStyle
    /// How many line feeds the output ends with: 2 is an empty line.
    private var lineFeeds = 2

    init(_ channel: OutputChannel, style: OutputStyle) {
        self.channel = channel
        self.style = style
    }

    /// Writes a head, with the empty line behind it.
    mutating func write(_ head: MessageHead) throws(OutputFault) {
        try separate()
        try write(head.bytes(palette: style.palette, isSafe: style.isSafe, sortsFields: style.sortsFields))
    }

    /// Writes lines of text.
    mutating func write(lines: [String]) throws(OutputFault) {
        try separate()
        try write(Array(lines.map { "\($0)\n" }.joined().utf8))
    }

    /// Puts an empty line below what was written, if there is anything and it has none yet.
    mutating func separate() throws(OutputFault) {
        try write([UInt8](repeating: 0x0A, count: 2 - lineFeeds))
    }

    /// Ends the last line, where a prompt would follow it.
    mutating func endLine() throws(OutputFault) {
        if channel.isTerminal, lineFeeds == 0 { try write([0x0A]) }
    }

    /// Writes a piece of a content.
    mutating func write(_ bytes: [UInt8]) throws(OutputFault) {
        guard !bytes.isEmpty else { return }
        try channel.write(bytes)
        note(bytes.suffix(4))
    }

    /// Writes a piece of a content without a copy.
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
