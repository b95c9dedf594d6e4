/// The body of the request.
enum RequestContent: Equatable {
    case none
    case bytes([UInt8])
    /// The body from standard input.
    case input
    /// The path of a file, sent without loading it into memory.
    case file(String)
    /// The parts of a form, sent as multipart/form-data.
    case parts([FormPart])

    var isNone: Bool { self == .none }
}

/// A part of a form sent as multipart/form-data.
struct FormPart: Equatable {
    enum Value: Equatable {
        case text(String)
        /// The path of a file, sent without loading it into memory.
        case file(String, mediaType: String)
    }

    let name: String
    let value: Value
}

/// The way that items form a body.
enum ContentStyle: Equatable {
    /// A JSON object. With `isExplicit`, the fields for JSON are sent even without a body.
    case json(isExplicit: Bool)
    /// `name=value&…`, or multipart if a file is included.
    case form
    /// Always multipart.
    case multipart
}
