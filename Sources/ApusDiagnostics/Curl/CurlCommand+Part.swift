internal import ApusCore

extension CurlCommand {
    /// A part of a form, as arguments of curl.
    package struct Part: Sendable {
        package enum Value: Sendable {
            case text(String)
            /// A file, sent under its own name.
            case file(path: String, mediaType: String)
        }

        let name: String
        let value: Value

        package init(name: String, value: Value) {
            self.name = name
            self.value = value
        }

        /// Whether all versions of curl send this part correctly. The syntax of `-F` cannot express every name, and
        /// curl has changed how it writes names.
        package var isExpressible: Bool {
            guard !name.isEmpty, Self.isPlain(name), !name.contains("=") else { return false }
            switch value {
            case .text(let text): return !text.utf8.contains(0) && text.utf8.count <= CurlCommand.argumentBytes
            case .file(let path, let mediaType):
                return Self.isPlain(path.split(separator: "/").last ?? "") && !path.utf8.contains(0)
                    && Self.isPlainType(mediaType)
            }
        }

        func add(to words: inout Words) throws(ApusError) {
            guard isExpressible else {
                throw ApusError(.invalidRequest, "curl can't express the part '\(name)' of the form")
            }
            switch value {
            case .text(let text): words.add("--form-string", "\(name)=\(text)")
            case .file(let path, let mediaType):
                words.add("-F", "\(name)=@\(Self.quoted(path));type=\(mediaType)")
            }
        }

        /// Whether the name can stand between quotes unescaped.
        private static func isPlain(_ name: some StringProtocol) -> Bool {
            !name.unicodeScalars.contains { $0 == "\"" || $0 == "\\" || $0.value < 0x20 || $0.value == 0x7F }
        }

        /// Whether it is a token, a slash and a token, as curl expects.
        private static func isPlainType(_ type: String) -> Bool {
            let halves = type.split(separator: "/", omittingEmptySubsequences: false)
            return halves.count == 2
                && halves.allSatisfy { half in
                    !half.isEmpty
                        && half.utf8.allSatisfy { byte in
                            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
                                || "!#$&^_.+-".utf8.contains(byte)
                        }
                }
        }

        /// Returns the path, in quotes if it has characters that are special to curl.
        private static func quoted(_ path: String) -> String {
            let isPlain = path.unicodeScalars.allSatisfy { scalar in
                scalar.value >= 0x80 || (0x30...0x39).contains(scalar.value)
                    || (0x61...0x7A).contains(scalar.value | 0x20) || "/._-+~".unicodeScalars.contains(scalar)
            }
            // A file named `-` must not be read as standard input.
            guard !isPlain else { return path == "-" ? "./-" : path }
            return "\"\(path.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
        }
    }
}
