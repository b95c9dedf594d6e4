internal import ApusCore
internal import Foundation

/// Cookies as JSON: the format's name, its version, and the cookies in their order.
struct CookieDocument: Codable {
    private static let format = "apus-cookies"
    private static let version = 1

    private struct Heading: Decodable {
        let format: String
        let version: Int
    }

    let format: String
    let version: Int
    let cookies: [Cookie]

    static func data(of cookies: [Cookie]) throws(ApusError) -> Data {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            return try encoder.encode(CookieDocument(format: format, version: version, cookies: cookies))
        } catch {
            // JSON cannot represent dates that are not finite numbers.
            throw ApusError(.fileUnwritable, "a cookie has a date that can't be written", underlying: error)
        }
    }

    static func cookies(in data: Data) throws(CookieFileFault) -> [Cookie] {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        do {
            let heading = try decoder.decode(Heading.self, from: data)
            guard heading.format == format else {
                throw CookieFileFault(description: "its format is not '\(format)'")
            }
            guard heading.version == version else {
                throw CookieFileFault(
                    description: "it has version \(heading.version), but only version \(version) is supported"
                )
            }
            return try decoder.decode(CookieDocument.self, from: data).cookies
        } catch let fault as CookieFileFault {
            throw fault
        } catch let error as DecodingError {
            throw CookieFileFault(description: explanation(of: error))
        } catch {
            throw CookieFileFault(description: "it can't be decoded")
        }
    }

    private static func explanation(of error: DecodingError) -> String {
        let context: DecodingError.Context
        switch error {
        case .dataCorrupted(let found), .typeMismatch(_, let found), .valueNotFound(_, let found): context = found
        case .keyNotFound(let key, let found): context = missing(key, found)
        @unknown default: return "it can't be decoded"
        }
        let place = context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
        let problem = context.debugDescription
        return place.isEmpty ? problem : "\(problem), at \(place)"
    }

    private static func missing(_ key: any CodingKey, _ context: DecodingError.Context) -> DecodingError.Context {
        DecodingError.Context(codingPath: context.codingPath, debugDescription: "'\(key.stringValue)' is missing")
    }
}
