internal import ApusCore
internal import Foundation

/// Parses recorded forms, which may be cut off at any byte.
enum HARForm {
    /// Returns the parts of a `multipart/form-data` body. Parts with files have no value.
    ///
    /// See RFC 7578, https://www.rfc-editor.org/rfc/rfc7578.html
    static func parts(of content: Data, boundary: String, _ view: HARView) -> [HTTPArchive.Parameter] {
        let delimiter = Data("--\(boundary)".utf8)
        var parameters: [HTTPArchive.Parameter] = []
        var position = content.range(of: delimiter)?.upperBound
        while let start = position {
            let rest = content[start...]
            // The last delimiter is followed by two hyphens.
            guard !rest.starts(with: Data("--".utf8)), !rest.isEmpty else { break }
            let next = content.range(of: Data("\r\n".utf8) + delimiter, in: start..<content.endIndex)
            if let parameter = part(content[start..<(next?.lowerBound ?? content.endIndex)], view) {
                parameters.append(parameter)
            }
            position = next?.upperBound
        }
        return parameters
    }

    private static func part(_ part: Data, _ view: HARView) -> HTTPArchive.Parameter? {
        guard let end = part.range(of: Data("\r\n\r\n".utf8)) else { return nil }
        var fields: [String: String] = [:]
        for line in String(decoding: part[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n") {
            let name = line.prefix { $0 != ":" }
            fields[name.lowercased()] = line.dropFirst(name.count + 1).trimmed
        }
        guard let disposition = fields["content-disposition"],
            let name = FieldParameters.value(of: "name", in: disposition)
        else { return nil }
        let fileName = FieldParameters.value(of: "filename", in: disposition)
        let isToken = fields["content-type"].flatMap { MediaType($0) }?.isToken == true
        let isShown = fileName == nil && (view.includesSecrets || !isToken)
        let text = isShown ? String(validating: part[end.upperBound...], as: UTF8.self) : nil
        return HTTPArchive.Parameter(
            name: name,
            value: text.map { view.text(view.value($0, named: name)) },
            fileName: fileName.map(view.text),
            contentType: fields["content-type"].map(view.text)
        )
    }
}
