extension CurlCommand {
    /// A part of a form, as curl is told it.
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

        /// Whether curl, in all its versions, makes of it the part that is meant: its little language for parts can't
        /// name everything, and how it writes names has changed.
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
                throw ApusError(.invalidRequest, "curl has no way to say the part '\(name)' of the form")
            }
            switch value {
            case .text(let text): words.add("--form-string", "\(name)=\(text)")
            case .file(let path, let mediaType):
                words.add("-F", "\(name)=@\(Self.quoted(path));type=\(mediaType)")
            }
        }

        /// Whether a name is written between quotes as it is.
        private static func isPlain(_ name: some StringProtocol) -> Bool {
            !name.unicodeScalars.contains { $0 == "\"" || $0 == "\\" || $0.value < 0x20 || $0.value == 0x7F }
        }

        /// A token, a slash and a token, as curl looks for them.
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

        /// The path in quotes where it holds what ends one.
        private static func quoted(_ path: String) -> String {
            let isPlain = path.unicodeScalars.allSatisfy { scalar in
                scalar.value >= 0x80 || (0x30...0x39).contains(scalar.value)
                    || (0x61...0x7A).contains(scalar.value | 0x20) || "/._-+~".unicodeScalars.contains(scalar)
            }
            // What is called like standard input is not standard input.
            guard !isPlain else { return path == "-" ? "./-" : path }
            return "\"\(path.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
        }
    }
}
