/// The content of the request.
enum RequestContent: Equatable {
    case none
    case bytes([UInt8])
    /// What came on standard input.
    case input
    /// The path of a file, to be sent without holding it in memory.
    case file(String)
    /// The parts of a form, to be sent as multipart/form-data.
    case parts([FormPart])

    var isNone: Bool { self == .none }
}

/// A part of a form that is sent as multipart/form-data.
struct FormPart: Equatable {
    enum Value: Equatable {
        case text(String)
        /// The path of a file, to be sent without holding it in memory.
        case file(String, mediaType: String)
    }

    let name: String
    let value: Value
}

/// How items become content.
enum ContentStyle: Equatable {
    /// A JSON object; with `isExplicit`, the fields say so without any content.
    case json(isExplicit: Bool)
    /// `name=value&…`, or parts if there is a file among them.
    case form
    /// Parts, be there a file among them or not.
    case multipart
}
