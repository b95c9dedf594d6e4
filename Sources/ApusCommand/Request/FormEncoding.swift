/// The `application/x-www-form-urlencoded` form of names and values.
///
/// See https://url.spec.whatwg.org/#concept-urlencoded-serializer
enum FormEncoding {
    static func encode(_ fields: [(name: String, value: String)]) -> [UInt8] {
        var output: [UInt8] = []
        for (index, field) in fields.enumerated() {
            if index > 0 { output.append(UInt8(ascii: "&")) }
            append(field.name, to: &output)
            output.append(UInt8(ascii: "="))
            append(field.value, to: &output)
        }
        return output
    }

    private static func append(_ text: String, to output: inout [UInt8]) {
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "*"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"):
                output.append(byte)
            case 0x20:
                output.append(UInt8(ascii: "+"))
            default:
                output += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
            }
        }
    }
}
