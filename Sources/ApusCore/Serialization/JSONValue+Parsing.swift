public import ApusJSON
public import Foundation

extension JSONValue {
    /// Parses JSON text, strictly by RFC 8259.
    ///
    /// The text must be UTF-8. A byte order mark at the start is ignored. If a name occurs twice in an object, the
    /// first value is used, as in `JSONContentDecoder` and Foundation's `JSONDecoder`. The running time is linear in
    /// the length of the text.
    ///
    /// - Parameters:
    ///   - data: The text.
    ///   - depthLimit: The maximum nesting of arrays and objects. Comparing or releasing a value that is nested
    ///     thousands deep can overflow the stack of a thread. Default: 512.
    ///   - refusesDuplicateNames: Whether a repeated name in an object is an error, as I-JSON requires. Parsers differ
    ///     in which value they use (RFC 8259 §4). Default: `false`.
    /// - Throws: `ApusError` with the code `decodingFailed`, with the cause and its position.
    public init(
        parsing data: Data,
        depthLimit: Int = Self.defaultDepthLimit,
        refusesDuplicateNames: Bool = false
    ) throws(ApusError) {
        do throws(JSONSyntaxError) {
            self = try Self.parse(data, depthLimit: depthLimit, refusesDuplicateNames: refusesDuplicateNames)
        } catch {
            throw ApusError(.decodingFailed, "it is not valid JSON: \(error.description)")
        }
    }

    /// Parses JSON text.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - depthLimit: The maximum nesting of arrays and objects. Default: 512.
    ///   - refusesDuplicateNames: Whether a repeated name in an object is an error. Otherwise the first value is used.
    ///     Default: `false`.
    /// - Throws: `ApusError` with the code `decodingFailed`, with the cause and its position.
    public init(
        parsing text: String,
        depthLimit: Int = Self.defaultDepthLimit,
        refusesDuplicateNames: Bool = false
    ) throws(ApusError) {
        try self.init(
            parsing: Data(text.utf8),
            depthLimit: depthLimit,
            refusesDuplicateNames: refusesDuplicateNames
        )
    }
}
