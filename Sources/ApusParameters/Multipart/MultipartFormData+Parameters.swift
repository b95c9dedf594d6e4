public import ApusCore

extension MultipartFormData {
    /// Appends a part for each value in `parameters`, with the names that a form has.
    ///
    /// ```swift
    /// struct Profile: Encodable {
    ///     let user: [String: String]
    ///     let tags: [String]
    ///     let portrait: Data
    /// }
    /// var form = MultipartFormData()
    /// try form.append(parameters: Profile(user: ["name": "Ada"], tags: ["x", "y"], portrait: Data([0x89])))
    /// ```
    ///
    /// The form has the parts `portrait`, `tags[]`, `tags[]` and `user[name]`. Names and contents are not escaped, and
    /// `Data` is sent as it is. So `spaceEncoding`, `allowedCharacters` and `dataEncoding` of the encoder have no
    /// effect. Its other settings have the same effect as in a form. A `nil` that a form writes as its key alone is an
    /// empty part. Empty arrays and dictionaries have no parts. Append a value that needs a media type or a file name
    /// with `append(_:withName:fileName:mimeType:)`.
    ///
    /// - Parameters:
    ///   - parameters: A value with keys at its root: a `struct`, a `class` or a dictionary.
    ///   - encoder: The rules for names and values. Default: an encoder with default settings.
    /// - Throws: `ApusError` with the code `parameterEncodingFailed` and the coding path. The form is then unchanged.
    public mutating func append(
        parameters: some Encodable,
        encoder: URLEncodedFormEncoder = .default
    ) throws(ApusError) {
        let added = try encoder.parts(of: parameters)
        parts += added.map { MultipartPart($0.content, name: $0.name) }
    }

    /// Whether the form has no parts.
    package var isEmpty: Bool { parts.isEmpty }
}
