/// The lookup of a host name by the operating system.
package enum SystemLookup {
    /// Looks a host up with `getaddrinfo`, which blocks as long as the name servers do.
    ///
    /// - Parameters:
    ///   - host: The host.
    ///   - take: Called for each address, in the order of preference.
    /// - Returns: 0, or the error code of `getaddrinfo`.
    package static func addresses(of host: String, _ take: (addrinfo) -> Void) -> Int32 {
        var hints = addrinfo()
        #if canImport(Glibc)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        hints.ai_family = AF_UNSPEC
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &list)
        defer { if let list { freeaddrinfo(list) } }
        var next = code == 0 ? list : nil
        while let entry = next?.pointee {
            take(entry)
            next = entry.ai_next
        }
        return code
    }
}
