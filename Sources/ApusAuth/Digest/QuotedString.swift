internal import ApusCore

extension String {
    /// In quotes, with backslashes ahead of quotes and backslashes: RFC 9110 §5.6.4.
    var quoted: String {
        var text = "\""
        for scalar in unicodeScalars {
            if scalar == "\"" || scalar == "\\" { text.unicodeScalars.append("\\") }
            text.unicodeScalars.append(scalar)
        }
        return text + "\""
    }

    /// With everything but RFC 3986's unreserved characters percent-encoded.
    var percentEncoded: String { PercentEncoding.encode(self) }
}
