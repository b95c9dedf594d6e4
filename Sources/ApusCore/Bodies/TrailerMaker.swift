package import HTTPTypes

/// Makes the trailer fields of a request body.
package struct TrailerMaker: Sendable {
    /// The fields, if they are known before the body is read. The request announces their names.
    let known: RequestFields?
    private let make: @Sendable () async throws -> RequestFields

    init(_ make: @escaping @Sendable () async throws -> RequestFields) {
        self.known = nil
        self.make = make
    }

    init(_ fields: RequestFields) {
        self.known = fields
        self.make = { fields }
    }

    /// Returns the fields after checking their names and values. To be called after the last byte of the body was read.
    ///
    /// - Throws: `ApusError`: `invalidField`, or `requestBodyFailed` with the error of the user's closure.
    package func fields() async throws(ApusError) -> HTTPFields {
        do {
            return try await make().checked()
        } catch {
            throw ApusError(wrapping: error, as: .requestBodyFailed, by: "the closure for its trailer fields")
        }
    }
}
