/// The kind of a value of type `Any`: an object of Foundation, or a value of Swift in place of one.
package enum FoundationObject {
    case scalar(FoundationScalar)
    case array([Any])
    case set([Any])
    /// The members, sorted by name, since a dictionary has no order.
    case dictionary([(name: String, object: Any)])

    /// Returns the kind of a value. Returns `nil` for a value of any other type.
    package init?(_ value: Any) {
        var value = value
        while let optional = value as? any OptionalObject {
            guard let wrapped = optional.wrapped else {
                self = .scalar(.null)
                return
            }
            value = wrapped
        }
        if let scalar = FoundationScalar(value) {
            self = .scalar(scalar)
        } else if let elements = value as? [Any] {
            self = .array(elements)
        } else if let members = value as? [String: Any] {
            self = .dictionary(members.sorted { $0.key < $1.key }.map { (name: $0.key, object: $0.value) })
        } else if let members = value as? Set<AnyHashable> {
            self = .set(members.map(\.base))
        } else {
            return nil
        }
    }
}

/// An optional of any type.
private protocol OptionalObject {
    var wrapped: Any? { get }
}

extension Optional: OptionalObject {
    fileprivate var wrapped: Any? { map { $0 as Any } }
}
