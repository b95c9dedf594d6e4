internal import ApusCore
internal import ApusPlatform
internal import NIOCore

extension SocketAddress {
    /// Creates the address of a socket. The port is in the range of 16 bits.
    init(_ address: IPAddress, port: Int) throws {
        self = try SocketAddress(packedIPAddress: ByteBuffer(bytes: address.bytes), port: port)
        guard address.scope != 0, case .v6(let plain) = self else { return }
        var native = plain.address
        native.sin6_scope_id = address.scope
        self = SocketAddress(native, host: "")
    }

    /// The IP address. `nil` for a Unix socket.
    var address: IPAddress? {
        switch self {
        case .v4(let address):
            withUnsafeBytes(of: address.address.sin_addr) { IPAddress(bytes: $0) }
        case .v6(let address):
            withUnsafeBytes(of: address.address.sin6_addr) {
                IPAddress(bytes: $0, scope: address.address.sin6_scope_id)
            }
        case .unixDomainSocket:
            nil
        }
    }
}
