internal import ApusCore
internal import ApusPlatform
internal import NIOCore

extension SocketAddress {
    /// Creates the address of a socket. The port is in the range of 16 bits.
    init(_ address: IPAddress, port: Int) throws {
        self = try SocketAddress(packedIPAddress: ByteBuffer(bytes: address.bytes), port: port)
        guard address.scope != 0, case .v6(let plain) = self else { return }
        var native = plain.address
        withUnsafeMutableBytes(of: &native) { NativeAddress.setScope(address.scope, in: $0) }
        self = SocketAddress(native, host: "")
    }

    /// The IP address. `nil` for a Unix socket.
    var address: IPAddress? {
        switch self {
        case .v4(let address):
            withUnsafeBytes(of: address.address) { NativeAddress.v4($0) }
        case .v6(let address):
            withUnsafeBytes(of: address.address) { NativeAddress.v6($0) }
        case .unixDomainSocket:
            nil
        }
    }
}
