internal import Foundation

/// The parts of a request that must be equal when two requests are compared.
package struct SentRequest: Sendable, Equatable {
    private let method: String
    private let target: String
    private let fields: [String]
    private let body: [UInt8]

    /// - Parameters:
    ///   - request: The request as read by a server.
    ///   - ignoresBoundary: Whether to ignore the boundary of a form, and with it the length. Default: `false`.
    package init(_ request: TestRequest, ignoresBoundary: Bool = false) {
        method = request.method
        target = request.target
        var lines = request.fields.map { "\($0.name.lowercased()): \($0.value)" }
        var content = request.body
        if ignoresBoundary, content.starts(with: "--".utf8), let end = content.firstIndex(of: 0x0D) {
            let boundary = Array(content[2..<end])
            let text = String(decoding: boundary, as: UTF8.self)
            lines = lines.filter { !$0.hasPrefix("content-length") }.map {
                $0.replacingOccurrences(of: text, with: "-")
            }
            content = Self.replacing(boundary, in: content)
        }
        // RFC 9110 §5.3: the order matters only among fields of the same name.
        let name = { (line: String) in line.prefix { $0 != ":" } }
        fields = lines.enumerated()
            .sorted { (name($0.element), $0.offset) < (name($1.element), $1.offset) }
            .map(\.element)
        body = content
    }

    private static func replacing(_ boundary: [UInt8], in content: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        var rest = content[...]
        while let first = rest.first {
            if first == boundary[0], rest.starts(with: boundary) {
                output.append(0)
                rest = rest.dropFirst(boundary.count)
            } else {
                output.append(first)
                rest = rest.dropFirst()
            }
        }
        return output
    }
}
