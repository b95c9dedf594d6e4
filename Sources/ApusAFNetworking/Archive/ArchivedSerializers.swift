internal import Apus
internal import ApusCore
internal import ApusDocuments
internal import Foundation
internal import HTTPTypes

/// A request serializer in an archive.
enum ArchivedRequestSerializer: Codable, Hashable {
    case form(ArchivedRequestSettings)
    case json(ArchivedRequestSettings, writingOptions: UInt)
    case propertyList(ArchivedRequestSettings, format: String)

    init(_ serializer: any AFHTTPRequestSerialization) throws(ApusError) {
        let settings = try ArchivedRequestSettings(serializer.settings)
        switch serializer {
        case is AFHTTPRequestSerializer: self = .form(settings)
        case let json as AFJSONRequestSerializer: self = .json(settings, writingOptions: json.writingOptions.rawValue)
        case let list as AFPropertyListRequestSerializer: self = .propertyList(settings, format: list.format.archived)
        default: throw .unarchivable(type(of: serializer))
        }
    }

    func serializer() throws(ApusError) -> any AFHTTPRequestSerialization {
        switch self {
        case .form(let settings):
            return try settings.applied(to: AFHTTPRequestSerializer())
        case .json(let settings, let options):
            let known: JSONEncoder.OutputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            let options = JSONEncoder.OutputFormatting(rawValue: options)
            guard known.isSuperset(of: options) else { throw .archived("unknown writing options") }
            return try settings.applied(to: AFJSONRequestSerializer(writingOptions: options))
        case .propertyList(let settings, let format):
            return try settings.applied(to: AFPropertyListRequestSerializer(format: .init(archived: format)))
        }
    }
}

/// The common settings of request serializers, in an archive.
struct ArchivedRequestSettings: Codable, Hashable {
    private let headers: [[String]]
    private let methodsWithQuery: [String]
    private let timeoutInterval: Duration?
    private let deadline: Duration?

    init(_ settings: AFHTTPRequestSettings) throws(ApusError) {
        guard settings.queryStringSerialization == nil else {
            throw ApusError(
                .invalidConfiguration,
                "a closure that serializes queries can't be archived; remove it, and set it on the restored manager"
            )
        }
        self.headers = settings.httpRequestHeaders.map { [$0.name.rawName, $0.value] }
        self.methodsWithQuery = settings.httpMethodsEncodingParametersInURI.map(\.rawValue).sorted()
        self.timeoutInterval = settings.timeoutInterval
        self.deadline = settings.deadline
    }

    func applied<Serializer: AFHTTPRequestSerialization>(to base: Serializer) throws(ApusError) -> Serializer {
        let methods = methodsWithQuery.compactMap { HTTPRequest.Method($0) }
        guard methods.count == methodsWithQuery.count else { throw .archived("an invalid method") }
        guard timeoutInterval ?? .zero >= .zero, deadline ?? .zero >= .zero else {
            throw .archived("a negative time")
        }
        var serializer = base
        serializer.httpRequestHeaders = try HTTPFields(archived: headers)
        serializer.httpMethodsEncodingParametersInURI = Set(methods)
        serializer.timeoutInterval = timeoutInterval
        serializer.deadline = deadline
        return serializer
    }
}

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

    func serializer() throws(ApusError) -> any AFURLResponseSerialization {
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

/// The responses that a response serializer accepts, in an archive.
struct ArchivedAcceptance: Codable, Hashable {
    /// The ranges of status codes: the first code of each and the one after its last.
    private let statusCodes: [[Int]]?
    private let contentTypes: [String]?

    init(_ serializer: some AFHTTPResponseSerialization) {
        self.statusCodes = serializer.acceptableStatusCodes?.rangeView.map { [$0.lowerBound, $0.upperBound] }
        self.contentTypes = serializer.acceptableContentTypes?.sorted()
    }

    func applied<Serializer: AFHTTPResponseSerialization>(to base: Serializer) throws(ApusError) -> Serializer {
        var serializer = base
        serializer.acceptableContentTypes = contentTypes.map { Set($0) }
        serializer.acceptableStatusCodes = nil
        guard let statusCodes else { return serializer }
        var codes = IndexSet()
        for run in statusCodes {
            guard run.count == 2, run[0] >= 0, run[0] < run[1], run[1] <= Int(Int32.max) else {
                throw .archived("invalid status codes")
            }
            codes.insert(integersIn: run[0]..<run[1])
        }
        serializer.acceptableStatusCodes = codes
        return serializer
    }
}

extension ApusError {
    fileprivate static func unarchivable(_ type: Any.Type) -> ApusError {
        ApusError(
            .invalidConfiguration,
            "a serializer of the type \(type) can't be archived; set one of the library's, and set yours again on the "
                + "restored manager"
        )
    }
}

extension PropertyListFormat {
    fileprivate var archived: String {
        switch self {
        case .xml: "xml"
        case .binary: "binary"
        }
    }

    fileprivate init(archived name: String) throws(ApusError) {
        guard let format = Self.allCases.first(where: { $0.archived == name }) else {
            throw .archived("an unknown property list format")
        }
        self = format
    }
}

extension PropertyListLimits {
    fileprivate var archived: [Int] { [maximumBytes, maximumDepth, maximumValues] }

    fileprivate init(archived: [Int]) throws(ApusError) {
        let values = try archived.limits(3)
        self.init(maximumBytes: values[0], maximumDepth: values[1], maximumValues: values[2])
    }
}

extension XMLLimits {
    fileprivate var archived: [Int] { [maximumBytes, maximumDepth, maximumAttributes, maximumNodes] }

    fileprivate init(archived: [Int]) throws(ApusError) {
        let values = try archived.limits(4)
        self.init(
            maximumBytes: values[0],
            maximumDepth: values[1],
            maximumAttributes: values[2],
            maximumNodes: values[3]
        )
    }
}

extension [Int] {
    /// Returns the limits if their number is correct and none is negative.
    fileprivate func limits(_ count: Int) throws(ApusError) -> [Int] {
        guard self.count == count, allSatisfy({ $0 >= 0 }) else { throw .archived("invalid limits") }
        return self
    }
}
