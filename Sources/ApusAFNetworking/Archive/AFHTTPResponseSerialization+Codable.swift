internal import Apus

// The archives of response serializers. Each names its format and version, and has a checksum.

extension AFHTTPResponseSerializer: Codable {
    /// Reads an archived serializer.
    ///
    /// - Throws: `ApusError` with the code `invalidConfiguration` for another type, version or checksum, and for
    ///   invalid or unknown settings.
    public init(from decoder: any Decoder) throws {
        self = try ArchivedResponseSerializer.serializer(from: decoder)
    }

    /// Archives the serializer.
    public func encode(to encoder: any Encoder) throws {
        try ArchivedResponseSerializer.write(self, to: encoder)
    }
}

extension AFJSONResponseSerializer: Codable {
    /// Reads an archived serializer.
    ///
    /// - Throws: `ApusError` with the code `invalidConfiguration` for another type, version or checksum, and for
    ///   invalid or unknown settings.
    public init(from decoder: any Decoder) throws {
        self = try ArchivedResponseSerializer.serializer(from: decoder)
    }

    /// Archives the serializer.
    public func encode(to encoder: any Encoder) throws {
        try ArchivedResponseSerializer.write(self, to: encoder)
    }
}

extension AFXMLParserResponseSerializer: Codable {
    /// Reads an archived serializer.
    ///
    /// - Throws: `ApusError` with the code `invalidConfiguration` for another type, version or checksum, and for
    ///   invalid or unknown settings.
    public init(from decoder: any Decoder) throws {
        self = try ArchivedResponseSerializer.serializer(from: decoder)
    }

    /// Archives the serializer.
    public func encode(to encoder: any Encoder) throws {
        try ArchivedResponseSerializer.write(self, to: encoder)
    }
}

extension AFXMLDocumentResponseSerializer: Codable {
    /// Reads an archived serializer.
    ///
    /// - Throws: `ApusError` with the code `invalidConfiguration` for another type, version or checksum, and for
    ///   invalid or unknown settings.
    public init(from decoder: any Decoder) throws {
        self = try ArchivedResponseSerializer.serializer(from: decoder)
    }

    /// Archives the serializer.
    public func encode(to encoder: any Encoder) throws {
        try ArchivedResponseSerializer.write(self, to: encoder)
    }
}

extension AFPropertyListResponseSerializer: Codable {
    /// Reads an archived serializer.
    ///
    /// - Throws: `ApusError` with the code `invalidConfiguration` for another type, version or checksum, and for
    ///   invalid or unknown settings.
    public init(from decoder: any Decoder) throws {
        self = try ArchivedResponseSerializer.serializer(from: decoder)
    }

    /// Archives the serializer.
    public func encode(to encoder: any Encoder) throws {
        try ArchivedResponseSerializer.write(self, to: encoder)
    }
}

extension AFCompoundResponseSerializer: Codable {
    /// Reads an archived serializer.
    ///
    /// - Throws: `ApusError` with the code `invalidConfiguration` for another type, version or checksum, and for
    ///   invalid or unknown settings.
    public init(from decoder: any Decoder) throws {
        self = try ArchivedResponseSerializer.serializer(from: decoder)
    }

    /// Archives the serializer.
    ///
    /// - Throws: `ApusError` with the code `invalidConfiguration` if one of its serializers has a custom type.
    public func encode(to encoder: any Encoder) throws {
        try ArchivedResponseSerializer.write(self, to: encoder)
    }
}

extension ArchivedResponseSerializer {
    fileprivate static func serializer<Serializer: AFHTTPResponseSerialization>(
        from decoder: any Decoder
    ) throws(ApusError) -> Serializer {
        let archived: ArchivedResponseSerializer = try ArchivedDocument.content(of: .responseSerializer, from: decoder)
        guard let serializer = try archived.serializer() as? Serializer else {
            throw .archived("a serializer of another type than \(Serializer.self)")
        }
        return serializer
    }

    fileprivate static func write(_ serializer: some AFHTTPResponseSerialization, to encoder: any Encoder) throws {
        try ArchivedDocument.write(ArchivedResponseSerializer(serializer), of: .responseSerializer, to: encoder)
    }
}
