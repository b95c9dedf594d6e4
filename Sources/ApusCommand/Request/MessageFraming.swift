internal import Apus
internal import HTTPTypes

/// The framing of a request body. The engine writes the fields for it.
///
/// See RFC 9112 §6, https://www.rfc-editor.org/rfc/rfc9112.html#section-6
enum MessageFraming: Equatable {
    case none
    case length(Int64)
    case chunked

    init(_ request: borrowing RequestMessage) {
        if request.body.isNone {
            self = [.post, .put, .patch].contains(request.method) ? .length(0) : .none
        } else {
            self = request.body.length.map { .length($0) } ?? .chunked
        }
    }

    /// The field that declares the framing, or `nil` if there is none.
    var field: (name: String, value: String)? {
        switch self {
        case .none: nil
        case .length(let count): ("Content-Length", "\(count)")
        case .chunked: ("Transfer-Encoding", "chunked")
        }
    }

    var isEmpty: Bool { self == .none || self == .length(0) }
}

extension MessageFraming {
    /// Rejects fields that the engine would reject, so that `--offline` shows only requests that can be sent.
    static func check(_ request: borrowing RequestMessage) throws(CommandFault) {
        let framing = MessageFraming(request)
        var hosts = 0
        for field in request.fields {
            switch field.name.canonicalName {
            case "host":
                hosts += 1
                guard hosts == 1 else { throw CommandFault("there is more than one Host field; keep one of them") }
                guard field.value.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                    throw CommandFault("the field Host is '\(field.value)', which is not a valid host")
                }
            case "content-length", "transfer-encoding":
                guard framing.agrees(with: field) else {
                    throw CommandFault(
                        """
                        the field \(field.name.rawName) is '\(field.value)', but the body \(framing.description); \
                        leave the field out, it is set automatically
                        """
                    )
                }
            default: break
            }
        }
    }

    private func agrees(with field: HTTPField) -> Bool {
        let isLength = field.name.canonicalName == "content-length"
        switch self {
        case .none: return isLength && field.value == "0"
        case .length(let count): return isLength && field.value == "\(count)"
        case .chunked: return !isLength && field.value.lowercased() == "chunked"
        }
    }

    private var description: String {
        switch self {
        case .none, .length(0): "is empty"
        case .length(1): "has 1 byte"
        case .length(let count): "has \(count) bytes"
        case .chunked: "is sent in chunks, since its length is unknown"
        }
    }
}
