/// Converts an object of Foundation to a value of another type.
///
/// The open containers are on a stack of their own. Collections of Swift that are nested deeply are an ordinary error and
/// can't overflow the stack of the thread. Foundation's own collections are bridged as a whole by Foundation.
package struct FoundationObjectReader<Value: FoundationObjectConvertible> {
    private struct Container {
        /// The names of a dictionary's members. `nil` for an array or a set.
        let names: [String]?
        var isOrdered = true
        let objects: [Any]
        /// The values of the first objects.
        var values: [Value] = []

        var next: Any? { values.count < objects.count ? objects[values.count] : nil }

        /// The key of the next object.
        var key: CodingPathKey {
            names.map { CodingPathKey(stringValue: $0[values.count]) } ?? CodingPathKey(intValue: values.count)
        }

        func value() throws(EncodingFault) -> Value {
            if let names {
                Value(members: zip(names, values).map { (name: $0, value: $1) })
            } else if isOrdered {
                Value(elements: values)
            } else {
                try Value(unorderedElements: values)
            }
        }
    }

    private let depthLimit: Int
    private var containers: [Container] = []

    private init(depthLimit: Int) {
        self.depthLimit = depthLimit
    }

    /// Converts an object.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - depthLimit: The maximum nesting of arrays, sets and dictionaries.
    /// - Returns: The value.
    /// - Throws: The fault of the first object that can't be converted, and its path.
    package static func value(of object: Any, depthLimit: Int) throws(FoundationObjectFault) -> Value {
        var reader = Self(depthLimit: depthLimit)
        do throws(EncodingFault) {
            return try reader.read(object)
        } catch {
            throw FoundationObjectFault(fault: error, path: reader.containers.map { $0.key })
        }
    }

    private mutating func read(_ root: Any) throws(EncodingFault) -> Value {
        var finished = try take(root)
        while true {
            if let value = finished {
                guard let last = containers.indices.last else { return value }
                containers[last].values.append(value)
            }
            // Without a finished value, a container was opened.
            let last = containers.count - 1
            if let object = containers[last].next {
                finished = try take(object)
            } else {
                finished = try containers.removeLast().value()
            }
        }
    }

    /// Returns the value of an object. Returns `nil` if it is a container, after opening it.
    private mutating func take(_ object: Any) throws(EncodingFault) -> Value? {
        if let value = object as? Value { return value }
        switch FoundationObject(object) {
        case .scalar(let scalar):
            return try Value(scalar: scalar)
        case .array(let elements):
            try open(Container(names: nil, objects: elements))
        case .set(let elements):
            try open(Container(names: nil, isOrdered: false, objects: elements))
        case .dictionary(let members):
            try open(Container(names: members.map(\.name), objects: members.map(\.object)))
        case nil:
            return try Value(other: object)
        }
        return nil
    }

    private mutating func open(_ container: Container) throws(EncodingFault) {
        guard containers.count < depthLimit else {
            throw EncodingFault("is nested deeper than \(depthLimit) levels; does it contain itself?")
        }
        containers.append(container)
    }
}

/// The fault of an object that can't be converted.
package struct FoundationObjectFault: Error {
    package let fault: EncodingFault
    /// The keys that lead to the object.
    package let path: [any CodingKey]
}
