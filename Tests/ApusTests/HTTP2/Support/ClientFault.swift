/// A rule of HTTP/2 that the client has broken.
struct ClientFault: Error {
    let text: String

    init(_ text: String) {
        self.text = text
    }
}
