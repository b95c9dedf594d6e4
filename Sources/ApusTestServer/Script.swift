/// What one connection plays: bytes and times, with no HTTP codec between them and the wire.
///
/// Over TLS the bytes stand above the record layer. When the steps are over the connection stays open and silent
/// until the peer closes it. A peer that closes ends the script at any step.
///
/// For example, a server that closes a kept-alive connection behind its first response:
///
///     let script: Script = [
///         .expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"), .close,
///     ]
public struct Script: Sendable, ExpressibleByArrayLiteral {
    /// The steps in order.
    public var steps: [Step]

    /// Makes a script of steps.
    public init(steps: [Step]) {
        self.steps = steps
    }

    /// Makes a script of steps.
    public init(arrayLiteral elements: Step...) {
        steps = elements
    }

    /// Answers every request of the connection with the same raw bytes (ISO-8859-1), whatever was asked.
    public static func answering(_ response: String) -> Script {
        [.loop([.expectHead, .expectBody, .send(response)])]
    }
}

/// One step of a ``Script``.
public enum Step: Sendable {
    /// Reads one request head up to and with its empty line, and records it as a ``TestRequest`` without a body.
    case expectHead
    /// Reads so many further bytes, whatever they are, and adds them to the body of the recorded request.
    case expectBytes(Int)
    /// Reads the body as the last head frames it, by Content-Length or chunked, and completes the recorded request.
    case expectBody
    /// Reads until the peer ends its output; needs ``allowHalfClose`` before.
    case expectEnd
    /// Writes the text in ISO-8859-1, so that `"\u{80}"` is the byte 0x80, as one write, and waits until it is out.
    case send(String)
    /// Writes the bytes as one write, and waits until they are out.
    case sendBytes([UInt8])
    /// Writes the bytes again and again as fast as the peer takes them; the count may be huge.
    case sendRepeatedly([UInt8], count: Int)
    /// Holds back what is sent from here on, below TLS, until it is released.
    case hold
    /// Writes what was held back as one write, all but its last bytes: these stay held. With 0 the hold is over.
    case release(allBut: Int)
    /// Waits for a time.
    case pause(Duration)
    /// Waits until the gate is open.
    case wait(Gate)
    /// Opens a gate: the test learns that the script got here.
    case signal(Gate)
    /// Lets the connection live on when the peer has ended its output; put it first.
    case allowHalfClose
    /// Ends the output: FIN, with TLS behind a close_notify.
    case halfClose
    /// Closes in order: with TLS a close_notify goes first and the peer's is awaited for a second.
    case close
    /// Closes with a FIN, with TLS without its close_notify.
    case abruptClose
    /// Closes with a RST.
    case reset
    /// Reads no more from the socket, so that its receive window fills up; the peer's FIN is still seen.
    case stopReading
    /// Does nothing more until the peer closes; what it sends is thrown away.
    case silence
    /// Plays a script again and again until the peer closes.
    case loop(Script)
}
