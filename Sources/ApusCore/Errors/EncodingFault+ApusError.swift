package import ApusJSON

extension ApusError {
    /// Makes the error for a value at `path` that can't be encoded.
    package init(_ fault: EncodingFault, at path: [any CodingKey]) {
        self.init(.parameterEncodingFailed, "the value\(EncodingFault.place(path)) \(fault.text)")
    }
}

extension EncodingFault {
    /// Returns the place of a value for an error message.
    package static func place(_ path: [any CodingKey]) -> String {
        path.isEmpty ? " at the root" : " at \(Excerpt.path(path))"
    }
}

extension FoundationObjectConvertible {
    /// Converts an object of Foundation.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - depthLimit: The maximum nesting of arrays, sets and dictionaries.
    /// - Throws: `ApusError` with the code `parameterEncodingFailed`, with the fault and the path of its object.
    package init(converting object: Any, depthLimit: Int) throws(ApusError) {
        do throws(FoundationObjectFault) {
            self = try FoundationObjectReader<Self>.value(of: object, depthLimit: depthLimit)
        } catch {
            throw ApusError(error.fault, at: error.path)
        }
    }
}
