internal import ApusCore
internal import Foundation

extension Cookie: Codable {
    private enum CodingKeys: String, CodingKey {
        case name
        case value
        case domain
        case isHostOnly = "hostOnly"
        case path
        case expires
        case isSecure = "secure"
        case isHTTPOnly = "httpOnly"
        case sameSite
        case created
        case lastAccessed
    }

    /// Decodes a cookie. Invalid parts cause an error.
    public init(from decoder: any Decoder) throws {
        let parts = try decoder.container(keyedBy: CodingKeys.self)
        do {
            try self.init(
                name: parts.decode(String.self, forKey: .name),
                value: parts.decode(String.self, forKey: .value),
                domain: parts.decode(String.self, forKey: .domain),
                isHostOnly: parts.decode(Bool.self, forKey: .isHostOnly),
                path: parts.decode(String.self, forKey: .path),
                expires: parts.decodeIfPresent(Date.self, forKey: .expires),
                isSecure: parts.decode(Bool.self, forKey: .isSecure),
                isHTTPOnly: parts.decode(Bool.self, forKey: .isHTTPOnly),
                sameSite: parts.decodeIfPresent(SameSite.self, forKey: .sameSite),
                created: parts.decode(Date.self, forKey: .created),
                lastAccessed: parts.decode(Date.self, forKey: .lastAccessed)
            )
        } catch let error as ApusError {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: error.detail)
            )
        }
    }

    /// Encodes all parts, including the value.
    public func encode(to encoder: any Encoder) throws {
        var parts = encoder.container(keyedBy: CodingKeys.self)
        try parts.encode(name, forKey: .name)
        try parts.encode(value, forKey: .value)
        try parts.encode(domain, forKey: .domain)
        try parts.encode(isHostOnly, forKey: .isHostOnly)
        try parts.encode(path, forKey: .path)
        try parts.encodeIfPresent(expires, forKey: .expires)
        try parts.encode(isSecure, forKey: .isSecure)
        try parts.encode(isHTTPOnly, forKey: .isHTTPOnly)
        try parts.encodeIfPresent(sameSite, forKey: .sameSite)
        try parts.encode(created, forKey: .created)
        try parts.encode(lastAccessed, forKey: .lastAccessed)
    }
}
