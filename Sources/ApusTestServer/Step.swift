/// One step of a ``Script``.
public enum Step: Sendable {
    /// Reads one request head including its empty line, and records it as a ``TestRequest`` without a body.
    case expectHead
    /// Reads this number of bytes and adds them to the body of the recorded request.
    case expectBytes(Int)
    /// Reads the body framed by the last head, with Content-Length or chunked, and completes the recorded request.
    case expectBody
    /// Reads until the peer ends its output. Requires ``allowHalfClose`` before.
    case expectEnd
    /// Writes the text in ISO-8859-1 as one write, and waits until it is written. `"\u{80}"` is the byte 0x80.
    case send(String)
    /// Writes the bytes as one write, and waits until they are written.
    case sendBytes([UInt8])
    /// Writes the bytes repeatedly, as fast as the peer reads them. The count may be very large.
    case sendRepeatedly([UInt8], count: Int)
    /// Holds back all further output below TLS, until it is released.
    case hold
    /// Writes the held output as one write, except for its last bytes, which stay held. With 0, the hold ends.
    case release(allBut: Int)
    /// Waits for a duration.
    case pause(Duration)
    /// Waits until the gate is open.
    case wait(Gate)
    /// Opens a gate, to notify the test that the script has reached this step.
    case signal(Gate)
    /// Keeps the connection open when the peer ends its output. Must be the first step.
    case allowHalfClose
    /// Ends the output with a FIN. With TLS, a close_notify is sent first.
    case halfClose
    /// Closes in order. With TLS, sends a close_notify and waits up to a second for the peer's.
    case close
    /// Closes with a FIN. With TLS, no close_notify is sent.
    case abruptClose
    /// Closes with a RST.
    case reset
    /// Stops reading from the socket, so that its receive window fills up. The peer's FIN is still noticed.
    case stopReading
    /// Ignores all input until the peer closes.
    case silence
    /// Repeats a script until the peer closes.
    case loop(Script)
}
