/// The behavior of one connection: bytes and times, written without an HTTP codec.
///
/// Over TLS, the bytes are the plain text. After the last step the connection stays open and silent until the peer
/// closes it. A close by the peer ends the script at any step.
///
/// For example, a server that closes a persistent connection after its first response:
///
///     let script: Script = [
///         .expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"), .close,
///     ]
public struct Script: Sendable, ExpressibleByArrayLiteral {
    /// The steps, in order.
    public var steps: [Step]

    /// Creates a script from steps.
    public init(steps: [Step]) {
        self.steps = steps
    }

    /// Creates a script from steps.
    public init(arrayLiteral elements: Step...) {
        steps = elements
    }

    /// Returns a script that responds to every request with the same raw bytes (ISO-8859-1).
    public static func responding(with response: String) -> Script {
        [.loop([.expectHead, .expectBody, .send(response)])]
    }
}
