internal import ApusCore
internal import Foundation
internal import HTTPTypes

/// The body of a request, as arguments and standard input of curl.
struct CurlBody {
    private enum Kind {
        case none
        /// Passed as an argument.
        case argument([UInt8])
        /// Passed through standard input.
        case printed([UInt8])
        case file(FileContent)
        /// Passed through standard input, from memory and files.
        case pieces([BodyPiece])
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
                // RFC 9110 §8.6: methods that define a meaning for content send a length of 0.
                let hasLength = [.post, .put, .patch].contains(request.method)
                kind = hasLength ? .argument([]) : .none
            case .bytes(let chunk): kind = try Self.bytes(chunk.withUnsafeBytes { Array($0) })
            case .file(let file): kind = .file(file)
            case .replayable, .once:
                guard let pieces = request.body.pieces else {
                    throw ApusError(.invalidRequest, "its body is a stream, which does not fit in a command line")
                }
                try Self.check(pieces.reduce(0) { $0 + $1.bytesInMemory })
                kind = .pieces(pieces)
            case .trailed:
                throw ApusError(.invalidRequest, "its body has trailer fields, which curl can't send")
            }
        }
    }

    private static func check(_ byteCount: Int) throws(ApusError) {
        guard byteCount > CurlCommand.contentBytes else { return }
        throw ApusError(
            .invalidRequest,
            "its body has \(byteCount) bytes, too many for a command line; send it from a file"
        )
    }

    private static func bytes(_ bytes: [UInt8]) throws(ApusError) -> Kind {
        try check(bytes.count)
        guard bytes.count <= CurlCommand.argumentBytes, let text = String(validating: bytes, as: UTF8.self),
            ShellText.isPlain(text)
        else { return .printed(bytes) }
        return .argument(bytes)
    }

    var isNone: Bool {
        if case .none = kind { true } else { false }
    }

    /// Whether the body has no bytes.
    var isEmpty: Bool { length == 0 }

    /// Whether curl writes the `Content-Type` itself, because it chooses the boundary.
    var writesContentType: Bool {
        if case .form = kind { true } else { false }
    }

    /// Whether curl may send `Expect: 100-continue` by default: above 1 MiB, and above 1 KiB in older versions.
    var mayExpectContinue: Bool { length.map { $0 >= 1024 } ?? true }

    private var length: Int64? {
        switch kind {
        case .none: 0
        case .argument(let bytes), .printed(let bytes): Int64(bytes.count)
        case .file(let file): file.length
        case .pieces(let pieces): Self.length(of: pieces)
        case .form: nil
        }
    }

    private static func length(of pieces: [BodyPiece]) -> Int64? {
        var length: Int64 = 0
        for piece in pieces {
            guard let count = piece.length else { return nil }
            length += count
        }
        return length
    }

    /// The command whose output becomes curl's standard input, if curl needs one.
    var feed: String? {
        switch kind {
        case .none, .argument, .form: return nil
        case .printed(let bytes): return ShellText.printing(bytes)
        case .file(let file): return file.isWhole ? nil : Self.printing(file)
        case .pieces(let pieces): return Self.printing(pieces)
        }
    }

    private static func printing(_ file: FileContent) -> String {
        let path = ShellText.word(path(of: file).utf8)
        guard let range = file.range, !file.isWhole else { return "cat \(path)" }
        return "tail -c +\(range.lowerBound + 1) \(path) | head -c \(range.count)"
    }

    /// Returns a group of commands. Adjacent pieces in memory share one command.
    private static func printing(_ pieces: [BodyPiece]) -> String {
        var commands: [String] = []
        var gathered = Data()
        for piece in pieces {
            switch piece {
            case .bytes(let data): gathered.append(data)
            case .file(let file):
                if !gathered.isEmpty { commands.append(ShellText.printing(gathered)) }
                gathered = Data()
                commands.append(printing(file))
            }
        }
        if !gathered.isEmpty || commands.isEmpty { commands.append(ShellText.printing(gathered)) }
        return "{ \(commands.joined(separator: "; ")); }"
    }

    func add(to words: inout CurlCommand.Words) throws(ApusError) {
        switch kind {
        case .none: break
        case .argument(let bytes):
            words.add("--data-raw")
            words.add(bytes: bytes)
        case .printed, .pieces: words.add("--data-binary", "@-")
        case .file(let file): words.add("--data-binary", file.isWhole ? "@\(Self.path(of: file))" : "@-")
        case .form(let parts):
            for part in parts { try part.add(to: &words) }
        }
    }

    private static func path(of file: FileContent) -> String { file.url.path(percentEncoded: false) }
}

extension FileContent {
    fileprivate var isWhole: Bool { length.map { $0 == identity.size } ?? true }
}

extension BodyPiece {
    fileprivate var bytesInMemory: Int {
        if case .bytes(let data) = self { data.count } else { 0 }
    }

    fileprivate var length: Int64? {
        switch self {
        case .bytes(let data): Int64(data.count)
        case .file(let file): file.length
        }
    }
}
