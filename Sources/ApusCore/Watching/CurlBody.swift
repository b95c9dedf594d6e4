internal import Foundation
internal import HTTPTypes

/// The content of a request, as curl is told it.
struct CurlBody {
    private enum Kind {
        case none
        /// In an argument.
        case argument([UInt8])
        /// By way of standard input.
        case printed([UInt8])
        case file(FileContent)
        case form([CurlCommand.Part])
    }

    private let kind: Kind

    init(_ request: RequestMessage, _ content: CurlCommand.Content?) throws(ApusError) {
        switch content {
        case .bytes(let bytes): kind = try Self.bytes(bytes)
        case .form(let parts): kind = .form(parts)
        case nil:
            switch request.body.storage {
            case .none:
                // RFC 9110 §8.6: a length of nothing, for the methods that mean something by content.
                let saysLength = [.post, .put, .patch].contains(request.method)
                kind = saysLength ? .argument([]) : .none
            case .bytes(let chunk): kind = try Self.bytes(chunk.withUnsafeBytes { Array($0) })
            case .file(let file): kind = .file(file)
            case .replayable, .once:
                throw ApusError(.invalidRequest, "its content is a stream, which no command line can hold")
            }
        }
    }

    private static func bytes(_ bytes: [UInt8]) throws(ApusError) -> Kind {
        guard bytes.count <= CurlCommand.contentBytes else {
            throw ApusError(
                .invalidRequest,
                "its content has \(bytes.count) bytes, more than fit a command line; send it from a file"
            )
        }
        guard bytes.count <= CurlCommand.argumentBytes, let text = String(validating: bytes, as: UTF8.self),
            ShellText.isPlain(text)
        else { return .printed(bytes) }
        return .argument(bytes)
    }

    var isNone: Bool {
        if case .none = kind { true } else { false }
    }

    /// Whether there is not one byte.
    var isEmpty: Bool { length == 0 }

    /// Whether curl writes the `Content-Type` itself, since the boundary is its choice.
    var writesContentType: Bool {
        if case .form = kind { true } else { false }
    }

    /// Whether curl may ask first, unless it is told not to: above 1 MiB, and above 1 KiB in older versions.
    var mayExpectContinue: Bool { length.map { $0 >= 1024 } ?? true }

    private var length: Int64? {
        switch kind {
        case .none: 0
        case .argument(let bytes), .printed(let bytes): Int64(bytes.count)
        case .file(let file): file.length
        case .form: nil
        }
    }

    /// The command whose output is curl's standard input, where it needs that.
    var feed: String? {
        switch kind {
        case .none, .argument, .form: return nil
        case .printed(let bytes): return ShellText.printing(bytes)
        case .file(let file):
            guard file.length != file.identity.size else { return nil }
            let path = ShellText.word(Self.path(of: file).utf8)
            return "tail -c +\(file.range.lowerBound + 1) \(path) | head -c \(file.length)"
        }
    }

    func add(to words: inout CurlCommand.Words) throws(ApusError) {
        switch kind {
        case .none: break
        case .argument(let bytes):
            words.add("--data-raw")
            words.add(bytes: bytes)
        case .printed: words.add("--data-binary", "@-")
        case .file(let file):
            words.add("--data-binary", file.length == file.identity.size ? "@\(Self.path(of: file))" : "@-")
        case .form(let parts):
            for part in parts { try part.add(to: &words) }
        }
    }

    private static func path(of file: FileContent) -> String { file.url.path(percentEncoded: false) }
}
