internal import Apus
internal import Foundation

/// Builds a multipart form, and adds the boundary to the `Content-Type`.
enum MultipartContent {
    /// Builds the form.
    ///
    /// - Parameters:
    ///   - parts: The parts.
    ///   - boundary: The value of `--boundary`.
    ///   - contentType: The value of a Content-Type item. A boundary is added if it has none.
    ///   - open: Returns the body for a pipe or a device, and `nil` for a regular file.
    /// - Returns: The form. Its files exist and are readable.
    /// - Throws: `CommandFault` for an invalid boundary, or a file that can't be sent.
    static func form(
        _ parts: [FormPart],
        boundary: String?,
        contentType: inout String?,
        open: (_ path: String) throws(ApusError) -> RequestBody?
    ) throws(CommandFault) -> MultipartFormData {
        let named = contentType.flatMap { FieldParameters.value(of: "boundary", in: $0) }
        if let boundary, let named, boundary != named {
            throw CommandFault(
                "--boundary is '\(boundary)', but the item for Content-Type has '\(named)'; drop one of the two"
            )
        }
        var form: MultipartFormData
        do throws(ApusError) {
            form = try MultipartFormData(boundary: boundary ?? named)
        } catch {
            throw CommandFault("the boundary '\(boundary ?? named ?? "")' can't be used: \(error.detail)")
        }
        do throws(ApusError) {
            for part in parts { try form.append(part, open) }
        } catch {
            let remedy = error.code == .fileUnreadable ? "; check the name after the '@'" : ""
            throw CommandFault(error.detail + remedy)
        }
        if let stated = contentType {
            if named == nil { contentType = stated + form.contentType.drop { $0 != ";" } }
        } else {
            contentType = form.contentType
        }
        return form
    }
}

extension MultipartFormData {
    fileprivate mutating func append(
        _ part: FormPart,
        _ open: (_ path: String) throws(ApusError) -> RequestBody?
    ) throws(ApusError) {
        switch part.value {
        case .text(let text): append(text, withName: part.name)
        case .file(let path, let mediaType):
            let file = URL(fileURLWithPath: path)
            if let body = try open(path) {
                try append(body, withName: part.name, fileName: file.lastPathComponent, mimeType: mediaType)
            } else {
                try append(file, withName: part.name, mimeType: mediaType)
            }
        }
    }
}
