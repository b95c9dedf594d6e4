public import ApusCore
public import Foundation

/// A URL with names in braces in place of values, in its path or query.
///
/// ```swift
/// let post = URLTemplate("https://api.example.org/users/{id}/posts/{slug}")
/// let response = try await session.get(post.filled(["id": 7, "slug": "a/b?c"]))
/// ```
///
/// A value never leaves its position: all characters except ASCII letters, digits, `-`, `.`, `_` and `~` are
/// percent-encoded, including `/` and `%`. Values that encoding can't make safe are rejected: an empty value where a
/// path needs a segment, and one that makes a segment `.` or `..`, which URL parsers resolve even if the dots are
/// encoded. A name can't stand for a scheme, a host or a port.
///
/// These are level 1 templates of RFC 6570. Braces with an operator are rejected.
///
/// See https://www.rfc-editor.org/rfc/rfc6570.html#section-3.2.2
public struct URLTemplate: Sendable, Hashable {
    /// Values by name: strings, numbers, and other types with a lossless description.
    public typealias Values = [String: any LosslessStringConvertible & Sendable]

    /// A template with its values, which can be converted to a request URL.
    public struct Filled: URLConvertible {
        let template: URLTemplate
        let values: Values
        let base: (any URLConvertible)?
    }

    /// The text of the template.
    public let pattern: String

    /// Creates a template. Its syntax is checked when a request is created from it.
    public init(_ pattern: String) {
        self.pattern = pattern
    }

    /// The names in order of appearance, without duplicates.
    public var names: [String] {
        var seen = Set<String>()
        return ((try? URLTemplateParser.parse(pattern)) ?? []).compactMap { piece in
            if case .name(let name, _) = piece, seen.insert(name).inserted { name } else { nil }
        }
    }

    /// Fills in the values for the names.
    ///
    /// They are checked when a request is created: each name needs a value, and each value a name.
    ///
    /// - Parameters:
    ///   - values: The values by name.
    ///   - base: The base URL, if the template is relative, such as `/users/{id}`. It is resolved like a link on a web
    ///     page. Default: `nil`.
    /// - Returns: The filled template, which can be converted to a request URL.
    public func filled(_ values: Values, relativeTo base: (any URLConvertible)? = nil) -> Filled {
        Filled(template: self, values: values, base: base)
    }
}

extension URLTemplate: ExpressibleByStringLiteral, CustomStringConvertible {
    public init(stringLiteral value: String) {
        self.init(value)
    }

    /// The text of the template.
    public var description: String { pattern }
}

extension URLTemplate.Filled {
    /// Returns the text of the URL, or of the relative reference if the template is relative.
    ///
    /// - Returns: The text of the template with values for names.
    /// - Throws: `ApusError` with the code `invalidURL` if the template is invalid, or `parameterEncodingFailed` if a
    ///   name has no value, a value has no name, or a value is not allowed at its position.
    public func text() throws(ApusError) -> String {
        let pieces = try URLTemplateParser.parse(template.pattern)
        var unknown = Set(values.keys)
        for case .name(let name, _) in pieces { unknown.remove(name) }
        guard unknown.isEmpty else { throw template.fault("has no \(unknown.formatted), for which a value was given") }
        let missing = Set(template.names).subtracting(values.keys)
        guard missing.isEmpty else { throw template.fault("has no value for \(missing.formatted)") }
        var text = ""
        var segment = ""
        var namesOfSegment: [String] = []
        for piece in pieces {
            switch piece {
            case .literal(let literal):
                text += literal
                segment += literal
            case .boundary(let boundary):
                try template.check(segment, of: namesOfSegment)
                text += boundary
                segment = ""
                namesOfSegment = []
            case .name(let name, let isInPath):
                let value = values[name]?.description ?? ""
                guard !isInPath || !value.isEmpty else {
                    throw template.fault("needs a value for '\(name)' that is not empty")
                }
                let encoded = PercentEncoding.encode(value)
                text += encoded
                segment += encoded
                if isInPath { namesOfSegment.append(name) }
            }
        }
        try template.check(segment, of: namesOfSegment)
        return text
    }

    public func asTarget() throws -> TargetURI {
        let text = try text()
        guard let base else { return try TargetURI(text) }
        return try base.asTarget().resolving(text)
    }

    public func asURL() throws -> URL {
        try asTarget().asURL()
    }
}

extension URLTemplate {
    fileprivate func fault(_ detail: String) -> ApusError {
        ApusError(.parameterEncodingFailed, "the template \(detail)", url: pattern)
    }

    /// Rejects a segment that consists of dots because of its values, since URL parsers would resolve it.
    fileprivate func check(_ segment: String, of names: [String]) throws(ApusError) {
        guard !names.isEmpty else { return }
        let plain = PercentEncoding.decode(segment)
        guard plain != ".", plain != ".." else {
            throw fault("can't have '\(plain)' for \(Set(names).formatted), since that would change the path")
        }
    }
}

extension Set<String> {
    fileprivate var formatted: String {
        sorted().map { "'\($0)'" }.joined(separator: ", ")
    }
}
