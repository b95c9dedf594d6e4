/// The state of a request whose connection or stream has failed: whether the server acted on it.
enum RequestFate {
    /// The server did not and will not act on it, so that any method may be sent again. RFC 9113 §8.7.
    case notProcessed
    /// The server may have acted on it, and no byte of the response has arrived. RFC 9112 §9.3.1.
    case perhapsProcessed
    /// The server has acted on it, or may have and a resend is not safe: a response had begun, or the connection was new.
    case processed
}
