internal import ApusCore
internal import HTTPTypes

/// Reads and writes the fields of resumable uploads. A field with an invalid value counts as missing.
///
/// See https://datatracker.ietf.org/doc/draft-ietf-httpbis-resumable-upload/
enum UploadFields {
    /// The media type of a part of an upload.
    static let partialContentType = "application/partial-upload"

    /// Returns `Upload-Offset`: the number of bytes that the server has.
    static func offset(in fields: HTTPFields) -> Int64? { count(.uploadOffset, in: fields) }

    /// Returns `Upload-Length`: the number of bytes of the whole upload.
    static func length(in fields: HTTPFields) -> Int64? { count(.uploadLength, in: fields) }

    /// Returns `Upload-Complete`: whether the server has the whole upload.
    static func isComplete(in fields: HTTPFields) -> Bool? {
        guard case .boolean(let isComplete)? = fields[.uploadComplete].flatMap(StructuredFieldReader.item) else {
            return nil
        }
        return isComplete
    }

    /// Returns `Upload-Limit`.
    static func limits(in fields: HTTPFields) -> UploadLimits? { fields[.uploadLimit].flatMap { UploadLimits($0) } }

    /// Returns `Upload-Draft-Interop-Version`: the version of the draft that the server has used.
    static func version(in fields: HTTPFields) -> Int64? { count(.uploadDraftInteropVersion, in: fields) }

    /// Returns the text of a boolean.
    static func text(_ flag: Bool) -> String { flag ? "?1" : "?0" }

    private static func count(_ name: HTTPField.Name, in fields: HTTPFields) -> Int64? {
        guard case .integer(let number)? = fields[name].flatMap(StructuredFieldReader.item), number >= 0 else {
            return nil
        }
        return number
    }
}

extension HTTPFields {
    /// The fields of the request that began an upload, without those that describe its content, that make it
    /// conditional, or that belong to it alone: the fields of a request to the upload resource.
    var forUploadResource: HTTPFields {
        var fields = self
        fields.removeContentFields()
        fields.removeAll { field in
            field.name == .idempotencyKey || field.name == .range || field.name.canonicalName.hasPrefix("if-")
                || field.name.canonicalName.hasPrefix("upload-")
        }
        return fields
    }
}

// They are valid names, so the fallbacks are never used.
extension HTTPField.Name {
    static let uploadOffset = HTTPField.Name("Upload-Offset") ?? .contentRange
    static let uploadLength = HTTPField.Name("Upload-Length") ?? .contentRange
    static let uploadComplete = HTTPField.Name("Upload-Complete") ?? .contentRange
    static let uploadLimit = HTTPField.Name("Upload-Limit") ?? .contentRange
    static let uploadDraftInteropVersion = HTTPField.Name("Upload-Draft-Interop-Version") ?? .contentRange
}
