internal import ApusCore

/// Parses a datagram of rtnetlink(7).
///
/// It reads each message once, and nothing outside of its length. A length that is too small or too large ends the
/// parsing: the messages before it are returned, and the datagram counts as malformed. So the work is linear.
struct NetlinkParser {
    /// The sizes of the headers, and the alignment of messages and attributes.
    private enum Size {
        static let header = 16
        static let attributeHeader = 4
        static let link = 16
        static let address = 8
        static let route = 12
    }

    /// The types of messages.
    private enum Kind {
        static let failure: UInt16 = 2
        static let done: UInt16 = 3
        static let overrun: UInt16 = 4
        static let newLink: UInt16 = 16
        static let removedLink: UInt16 = 17
        static let newAddress: UInt16 = 20
        static let removedAddress: UInt16 = 21
        static let newRoute: UInt16 = 24
        static let removedRoute: UInt16 = 25
        static let newRule: UInt16 = 32
        static let removedRule: UInt16 = 33
    }

    private(set) var messages: [NetlinkMessage] = []
    private(set) var isMalformed = false

    init(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard let length = rest.number(at: 0, as: UInt32.self).map({ Int($0) }), length >= Size.header,
                length <= rest.count, let message = Self.message(rest.prefix(length))
            else {
                isMalformed = true
                return
            }
            messages.append(message)
            rest = rest.dropFirst(length.roundedUpToFour)
        }
    }

    private static func message(_ bytes: ArraySlice<UInt8>) -> NetlinkMessage? {
        guard let type = bytes.number(at: 4, as: UInt16.self), let flags = bytes.number(at: 6, as: UInt16.self),
            let sequence = bytes.number(at: 8, as: UInt32.self),
            let content = parsed(type, bytes.dropFirst(Size.header))
        else { return nil }
        return NetlinkMessage(
            sequence: sequence,
            isPartial: flags & 0x2 != 0,
            isInterrupted: flags & 0x10 != 0,
            content: content
        )
    }

    private static func parsed(_ type: UInt16, _ body: ArraySlice<UInt8>) -> NetlinkMessage.Content? {
        switch type {
        case Kind.failure: body.number(at: 0, as: Int32.self).map { .failure($0.negated) }
        // The number is missing in old kernels.
        case Kind.done: .done(body.number(at: 0, as: Int32.self)?.negated ?? 0)
        case Kind.overrun: .overrun
        case Kind.newLink: link(body).map { .link($0) }
        case Kind.removedLink: link(body).map { .removedLink($0) }
        case Kind.newAddress: address(body)
        case Kind.removedAddress: address(body, isRemoved: true)
        case Kind.newRoute: route(body).map { .route($0) }
        case Kind.removedRoute: route(body).map { .removedRoute($0) }
        case Kind.newRule, Kind.removedRule: .rule
        default: .other
        }
    }

    /// Parses `struct ifinfomsg` and its attributes.
    private static func link(_ body: ArraySlice<UInt8>) -> NetworkLink? {
        guard body.count >= Size.link, let index = body.number(at: 4, as: UInt32.self),
            let flags = body.number(at: 8, as: UInt32.self)
        else { return nil }
        var (name, kind) = ("", "")
        let isWhole = eachAttribute(of: body.dropFirst(Size.link)) { type, value in
            switch type {
            case 3: name = value.text
            case 18: _ = eachAttribute(of: value) { type, value in if type == 1 { kind = value.text } }
            default: break
            }
        }
        guard isWhole else { return nil }
        return NetworkLink(index: index, flags: NetworkLink.Flags(rawValue: flags), name: name, kind: kind)
    }

    /// Parses `struct ifaddrmsg` and its attributes. An address of another family is another message.
    private static func address(_ body: ArraySlice<UInt8>, isRemoved: Bool = false) -> NetlinkMessage.Content? {
        guard body.count >= Size.address, let index = body.number(at: 4, as: UInt32.self) else { return nil }
        // The address, and the own one of a point-to-point interface.
        var (address, local): (IPAddress?, IPAddress?) = (nil, nil)
        let isWhole = eachAttribute(of: body.dropFirst(Size.address)) { type, value in
            switch type {
            case 1: address = IPAddress(bytes: value)
            case 2: local = IPAddress(bytes: value)
            default: break
            }
        }
        guard isWhole else { return nil }
        guard let own = local ?? address else { return .other }
        let found = LinkAddress(index: index, address: own)
        return isRemoved ? .removedAddress(found) : .address(found)
    }

    /// Parses `struct rtmsg` and its attributes.
    private static func route(_ body: ArraySlice<UInt8>) -> LinkRoute? {
        guard body.count >= Size.route, let type = body.number(at: 7, as: UInt8.self) else { return nil }
        var index: UInt32?
        let isWhole = eachAttribute(of: body.dropFirst(Size.route)) { type, value in
            if type == 4 { index = value.number(at: 0, as: UInt32.self) }
        }
        return isWhole ? LinkRoute(type: type, index: index) : nil
    }

    /// Calls a closure with each attribute. Returns `false` at one whose length is wrong.
    private static func eachAttribute(
        of bytes: ArraySlice<UInt8>,
        _ visit: (_ type: UInt16, _ value: ArraySlice<UInt8>) -> Void
    ) -> Bool {
        var rest = bytes
        // Fewer bytes than a header are padding.
        while rest.count >= Size.attributeHeader {
            guard let length = rest.number(at: 0, as: UInt16.self).map({ Int($0) }),
                let type = rest.number(at: 2, as: UInt16.self), length >= Size.attributeHeader, length <= rest.count
            else { return false }
            // The two highest bits are flags.
            visit(type & 0x3FFF, rest.prefix(length).dropFirst(Size.attributeHeader))
            rest = rest.dropFirst(length.roundedUpToFour)
        }
        return true
    }
}

extension ArraySlice<UInt8> {
    /// Reads a number in the byte order of the machine. Returns `nil` beyond the end.
    fileprivate func number<Number: FixedWidthInteger & BitwiseCopyable>(
        at offset: Int,
        as type: Number.Type
    ) -> Number? {
        guard offset + MemoryLayout<Number>.size <= count else { return nil }
        return withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) }
    }

    /// The text up to the first zero byte.
    fileprivate var text: String { String(decoding: prefix(while: { $0 != 0 }), as: UTF8.self) }
}

extension Int {
    fileprivate var roundedUpToFour: Int { (self + 3) & ~3 }
}

extension Int32 {
    /// The number with the other sign, also if there is none.
    fileprivate var negated: Int32 { 0 &- self }
}
