/// A failure of a value whose coding path is added later, as the end of a sentence: "is not a finite number".
package struct EncodingFault: Error {
    package static let ambiguous = EncodingFault("encodes itself twice; a value must be one text or one container")

    package static let tooDeep = EncodingFault(
        "is nested deeper than \(JSONContentEncoder.nestingLimit) levels; does it contain itself?"
    )

    package let text: String

    package init(_ text: String) {
        self.text = text
    }
}
