public import ApusCore
public import Foundation

/// A URL with names in braces where values belong, in its path or its query.
///
/// ```swift
/// let post = URLTemplate("https://api.example.org/users/{id}/posts/{slug}")
/// let answer = try await session.get(post.filled(["id": 7, "slug": "a/b?c"]))
/// ```
///
/// A value never leaves the place that it was meant for: everything in it but letters and digits of ASCII, `-`, `.`, `_`
/// and `~` is percent-encoded, `/` and `%` among it. What no encoding helps against is refused: a value that is empty
/// where a path needs a segment, and one that makes a segment `.` or `..`, which every reader of a URL resolves, however
/// its dots are written. A name can't stand for a scheme, a host or a port.
///
/// These are the templates of level 1 of RFC 6570; braces with an operator in them are refused.
///
/// See https://www.rfc-editor.org/rfc/rfc6570.html#section-3.2.2
public struct URLTemplate: Sendable, Hashable {
    /// What a name can stand for: strings, numbers, and whatever else is written down without loss.
    public typealias Values = [String: any LosslessStringConvertible & Sendable]

    /// A template with its values: what a request can be made of.
    public struct Filled: URLConvertible {
        let template: URLTemplate
        let values: Values
        let base: (any URLConvertible)?
    }

    /// The template as it was written.
    public let pattern: String

    /// Makes a template. Whether it is one is seen when it is filled.
    public init(_ pattern: String) {
        self.pattern = pattern
    }

    /// The names in it, in their order, each once.
    public var names: [String] {
        var seen = Set<String>()
        return ((try? URLTemplateParser.parse(pattern)) ?? []).compactMap { piece in
            if case .name(let name, _) = piece, seen.insert(name).inserted { name } else { nil }
        }
    }

    /// Puts values in the place of names.
    ///
    /// Whether they fit is seen when a request is made of it: a value for every name, and no value besides.
    ///
    /// - Parameters:
    ///   - values: The values by their names.
    ///   - base: What the URL stands beside where the template is no whole one: `/users/{id}`. It is resolved as a link
    ///     on a page is; `nil` by default.
    /// - Returns: What a request can be made of.
    public func filled(_ values: Values, relativeTo base: (any URLConvertible)? = nil) -> Filled {
        Filled(template: self, values: values, base: base)
    }
}

extension URLTemplate: ExpressibleByStringLiteral, CustomStringConvertible {
    public init(stringLiteral value: String) {
        self.init(value)
    }

    /// The template as it was written.
    public var description: String { pattern }
}

extension URLTemplate.Filled {
    /// The URL, or the reference where the template is no whole one.
    ///
    /// - Returns: The text of the template with values for names.
    /// - Throws: `ApusError` with the code `invalidURL` where the template is none, and `parameterEncodingFailed` where
    ///   a name has no value, a value has no name, or a value can't stand in its place.
    public func text() throws(ApusError) -> String {
        let pieces = try URLTemplateParser.parse(template.pattern)
        var unknown = Set(values.keys)
        for case .name(let name, _) in pieces { unknown.remove(name) }
        guard unknown.isEmpty else { throw template.fault("has no \(unknown.spoken) for which there is a value") }
        let missing = Set(template.names).subtracting(values.keys)
        guard missing.isEmpty else { throw template.fault("has no value for \(missing.spoken)") }
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

    /// Refuses a segment that values have made one which is resolved away.
    fileprivate func check(_ segment: String, of names: [String]) throws(ApusError) {
        guard !names.isEmpty else { return }
        let plain = PercentEncoding.decode(segment)
        guard plain != ".", plain != ".." else {
            throw fault("can't have '\(plain)' for \(Set(names).spoken), since it means another path")
        }
    }
}

extension Set<String> {
    fileprivate var spoken: String {
        sorted().map { "'\($0)'" }.joined(separator: ", ")
    }
}
