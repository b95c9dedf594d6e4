internal import ApusCore

/// The members of the C library's socket addresses, by their position.
///
/// SwiftNIO includes the header in a module of its own, so that code that imports it can't name them. The layout is the
/// same on all systems, RFC 3493 §3.3.
enum NativeAddress {
    private static let v4 = 4..<8
    private static let v6 = 8..<24
    private static let scope = 24

    /// Returns the address in the bytes of a `sockaddr_in`.
    static func v4(_ native: UnsafeRawBufferPointer) -> IPAddress? {
        native.count < v4.upperBound ? nil : IPAddress(bytes: native[v4])
    }

    /// Returns the address in the bytes of a `sockaddr_in6`.
    static func v6(_ native: UnsafeRawBufferPointer) -> IPAddress? {
        guard native.count >= scope + 4 else { return nil }
        return IPAddress(bytes: native[v6], scope: native.loadUnaligned(fromByteOffset: scope, as: UInt32.self))
    }

    /// Writes the number of the interface into the bytes of a `sockaddr_in6`.
    static func setScope(_ number: UInt32, in native: UnsafeMutableRawBufferPointer) {
        native.storeBytes(of: number, toByteOffset: scope, as: UInt32.self)
    }
}
