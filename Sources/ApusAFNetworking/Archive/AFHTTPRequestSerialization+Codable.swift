internal import Apus

// The archives of request serializers. Each names its format and version, and has a checksum.

extension AFHTTPRequestSerializer: Codable {
    /// Reads an archived serializer.
    ///
    /// - Throws: `ApusError` with the code `invalidConfiguration` for another type, version or checksum, and for
    ///   invalid or unknown settings.
    public init(from decoder: any Decoder) throws {
        self = try ArchivedRequestSerializer.serializer(from: decoder)
    }

    /// Archives the serializer. Its fields are included, even `Authorization`, so store it as a secret.
    ///
    /// - Throws: `ApusError` with the code `invalidConfiguration` for a closure for queries, and for options other than
    ///   the deadline and the handling of cookies.
    public func encode(to encoder: any Encoder) throws {
        try ArchivedRequestSerializer.write(self, to: encoder)
    }
}

extension AFJSONRequestSerializer: Codable {
    /// Reads an archived serializer.
    ///
    /// - Throws: `ApusError` with the code `invalidConfiguration` for another type, version or checksum, and for
    ///   invalid or unknown settings.
    public init(from decoder: any Decoder) throws {
        self = try ArchivedRequestSerializer.serializer(from: decoder)
    }

    /// Archives the serializer. Its fields are included, even `Authorization`, so store it as a secret.
    ///
    /// - Throws: `ApusError` with the code `invalidConfiguration` for a closure for queries, and for options other than
    ///   the deadline and the handling of cookies.
    public func encode(to encoder: any Encoder) throws {
        try ArchivedRequestSerializer.write(self, to: encoder)
    }
}

extension AFPropertyListRequestSerializer: Codable {
    /// Reads an archived serializer.
    ///
    /// - Throws: `ApusError` with the code `invalidConfiguration` for another type, version or checksum, and for
    ///   invalid or unknown settings.
    public init(from decoder: any Decoder) throws {
        self = try ArchivedRequestSerializer.serializer(from: decoder)
    }

    /// Archives the serializer. Its fields are included, even `Authorization`, so store it as a secret.
    ///
    /// - Throws: `ApusError` with the code `invalidConfiguration` for a closure for queries, and for options other than
    ///   the deadline and the handling of cookies.
    public func encode(to encoder: any Encoder) throws {
        try ArchivedRequestSerializer.write(self, to: encoder)
    }
}

extension ArchivedRequestSerializer {
    fileprivate static func serializer<Serializer: AFHTTPRequestSerialization>(
        from decoder: any Decoder
    ) throws(ApusError) -> Serializer {
        let archived: ArchivedRequestSerializer = try ArchivedDocument.content(of: .requestSerializer, from: decoder)
        guard let serializer = try archived.serializer() as? Serializer else {
            throw .archived("a serializer of another type than \(Serializer.self)")
        }
        return serializer
    }

    fileprivate static func write(_ serializer: some AFHTTPRequestSerialization, to encoder: any Encoder) throws {
        try ArchivedDocument.write(ArchivedRequestSerializer(serializer), of: .requestSerializer, to: encoder)
    }
}
