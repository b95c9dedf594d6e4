internal import Apus
internal import ApusCore
internal import Foundation

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
