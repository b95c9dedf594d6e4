internal import Apus
internal import ApusCore
internal import ApusDocuments

/// A response serializer in an archive.
indirect enum ArchivedResponseSerializer: Codable, Hashable {
    case data(ArchivedAcceptance)
    case json(ArchivedAcceptance, readingOptions: Int, removesNulls: Bool)
    case xmlParser(ArchivedAcceptance, limits: [Int])
    case xmlDocument(ArchivedAcceptance, limits: [Int])
    case propertyList(ArchivedAcceptance, formats: [String], limits: [Int])
    case compound(ArchivedAcceptance, [ArchivedResponseSerializer])

    init(_ serializer: any AFURLResponseSerialization) throws(ApusError) {
        switch serializer {
        case let data as AFHTTPResponseSerializer: self = .data(.init(data))
        case let json as AFJSONResponseSerializer:
            let nulls = json.removesKeysWithNullValues
            self = .json(.init(json), readingOptions: json.readingOptions.rawValue, removesNulls: nulls)
        case let parser as AFXMLParserResponseSerializer:
            self = .xmlParser(.init(parser), limits: parser.limits.archived)
        case let tree as AFXMLDocumentResponseSerializer: self = .xmlDocument(.init(tree), limits: tree.limits.archived)
        case let list as AFPropertyListResponseSerializer:
            let formats = list.formats.map(\.archived).sorted()
            self = .propertyList(.init(list), formats: formats, limits: list.limits.archived)
        case let compound as AFCompoundResponseSerializer:
            var parts: [ArchivedResponseSerializer] = []
            for part in compound.responseSerializers { parts.append(try ArchivedResponseSerializer(part)) }
            self = .compound(.init(compound), parts)
        default: throw .unarchivable(type(of: serializer))
        }
    }

    func serializer() throws(ApusError) -> any AFHTTPResponseSerialization {
        switch self {
        case .data(let acceptance):
            return try acceptance.applied(to: AFHTTPResponseSerializer())
        case .json(let acceptance, let options, let removesNulls):
            let options = AFJSONResponseSerializer.ReadingOptions(rawValue: options)
            guard options.isSubset(of: .fragmentsAllowed) else { throw .archived("unknown reading options") }
            var serializer = AFJSONResponseSerializer(readingOptions: options)
            serializer.removesKeysWithNullValues = removesNulls
            return try acceptance.applied(to: serializer)
        case .xmlParser(let acceptance, let limits):
            return try acceptance.applied(to: AFXMLParserResponseSerializer(limits: .init(archived: limits)))
        case .xmlDocument(let acceptance, let limits):
            return try acceptance.applied(to: AFXMLDocumentResponseSerializer(limits: .init(archived: limits)))
        case .propertyList(let acceptance, let names, let limits):
            var formats: Set<PropertyListFormat> = []
            for name in names { formats.insert(try .init(archived: name)) }
            let limits = try PropertyListLimits(archived: limits)
            return try acceptance.applied(to: AFPropertyListResponseSerializer(formats: formats, limits: limits))
        case .compound(let acceptance, let parts):
            var serializers: [any AFURLResponseSerialization] = []
            for part in parts { serializers.append(try part.serializer()) }
            return try acceptance.applied(to: AFCompoundResponseSerializer(serializers))
        }
    }
}
