internal import ApusCore
internal import SwiftASN1

/// Reads the members of a constructed ASN.1 value in their order.
struct DERMembers {
    private var nodes: ASN1NodeCollection.Iterator
    private let part: String

    /// Throws `malformed`, with the name of the part, if the value has another type.
    init(
        of node: ASN1Node,
        _ identifier: ASN1Identifier = .sequence,
        in part: String
    ) throws(CertificateRejection) {
        guard node.identifier == identifier, case .constructed(let members) = node.content else {
            throw CertificateRejection.unreadable(part)
        }
        nodes = members.makeIterator()
        self.part = part
    }

    /// Returns the next member. Throws `malformed` if there is none.
    mutating func next() throws(CertificateRejection) -> ASN1Node {
        guard let node = nodes.next() else { throw CertificateRejection.unreadable(part) }
        return node
    }

    /// Returns the next member if it has this type.
    mutating func next(if identifier: ASN1Identifier) -> ASN1Node? {
        var rest = nodes
        guard let node = rest.next(), node.identifier == identifier else { return nil }
        nodes = rest
        return node
    }

    /// Returns the next member. `nil` if there is none.
    mutating func nextIfAny() -> ASN1Node? { nodes.next() }

    /// Throws `malformed` if there are more members.
    func requireEnd() throws(CertificateRejection) {
        var rest = nodes
        guard rest.next() == nil else { throw CertificateRejection.unreadable(part) }
    }
}

extension ASN1Identifier {
    /// The tag of a member that its context defines.
    static func context(_ number: UInt) -> ASN1Identifier {
        ASN1Identifier(tagWithNumber: number, tagClass: .contextSpecific)
    }
}

extension CertificateRejection {
    static func unreadable(_ part: String) -> CertificateRejection { .malformed("its \(part) can't be read") }

    /// Reads a part of a certificate. The errors of the ASN.1 library name its own source files, so they are not shown.
    static func reading<Value>(_ part: String, _ read: () throws -> Value) throws(CertificateRejection) -> Value {
        do {
            return try read()
        } catch let rejection as CertificateRejection {
            throw rejection
        } catch {
            throw unreadable(part)
        }
    }
}
