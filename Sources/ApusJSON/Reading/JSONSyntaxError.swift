/// The reason why a text is not valid JSON, with its position.
package struct JSONSyntaxError: Error {
    package let description: String
}
