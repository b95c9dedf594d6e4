internal import ApusCore
internal import HTTPTypes
internal import NIOCore

extension HTTP1RequestEncoder {
    /// Appends the head of a request, for its origin or for a proxy that forwards it. If an error is thrown, `buffer` is
    /// unchanged.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - framing: The way in which the end of the body is marked.
    ///   - forwarding: Writes requests for a proxy. `nil` if the connection leads to the origin.
    ///   - buffer: The buffer to append to.
    /// - Returns: Whether the request has an Upgrade field.
    /// - Throws: The error of the proxy's credentials, or of a field that can't be sent.
    static func encode(
        _ request: RequestMessage,
        framing: RequestFraming,
        forwarding: ProxyForwarding?,
        into buffer: inout ByteBuffer
    ) throws(ApusError) -> Bool {
        var target = request.target.path
        var fields = request.fields
        if let forwarding { (target, fields) = try forwarding.head(of: request) }
        do {
            return try encode(
                method: request.method,
                target: target,
                host: request.target.authority,
                fields: fields,
                framing: framing,
                isForProxy: forwarding != nil,
                into: &buffer
            )
        } catch {
            throw error.asApusError
        }
    }
}
