internal import Apus
internal import Foundation

/// Encodes names and values as `application/x-www-form-urlencoded`.
///
/// See https://url.spec.whatwg.org/#concept-urlencoded-serializer
enum FormEncoding {
    private static let escaping = FormEscaping(
        CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789*-._")
    )

    static func encode(_ fields: [(name: String, value: String)]) -> [UInt8] {
        var output: [UInt8] = []
        for (index, field) in fields.enumerated() {
            if index > 0 { output.append(UInt8(ascii: "&")) }
            escaping.append(field.name, to: &output, .plusReplaced)
            output.append(UInt8(ascii: "="))
            escaping.append(field.value, to: &output, .plusReplaced)
        }
        return output
    }
}
