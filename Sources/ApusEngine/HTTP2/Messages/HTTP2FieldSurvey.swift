internal import HTTPTypes

/// Checks the fields of a request, and collects the facts that are needed to write them.
struct HTTP2FieldSurvey {
    /// The value of the Host field, if there is one.
    private(set) var host: String?
    /// The lowercased names of the fields that concern a single HTTP/1.1 connection, according to Connection.
    private var connectionOptions: [String] = []

    /// - Throws: `RequestEncodeError` for the errors that the encoder of HTTP/1.1 finds in fields too.
    init(_ fields: HTTPFields, framing: RequestFraming) throws(RequestEncodeError) {
        for index in fields.indices {
            // Read once, since each read copies the field.
            let field = fields[index]
            switch HTTP2FieldRule(field.name.canonicalName) {
            case .host:
                guard host == nil else { throw .hostRepeated }
                host = field.value
                continue
            case .framing:
                guard framing.agrees(with: field) else { throw .framingContradicted(name: field.name.rawName) }
                continue
            case .connection: addConnection(field)
            default: break
            }
            guard Self.isValid(field) else { throw .fieldValueInvalid(name: field.name.rawName) }
        }
    }

    /// Returns whether a Connection field has the name.
    func isNamedByConnection(_ name: String) -> Bool {
        !connectionOptions.isEmpty && connectionOptions.contains(name)
    }

    /// Returns whether a field's value has no control character except HTAB.
    static func isValid(_ field: HTTPField) -> Bool {
        field.withUnsafeBytesOfValue { (bytes: UnsafeBufferPointer<UInt8>) -> Bool in
            AllowedOctets.fieldValue.allows(UnsafeRawBufferPointer(bytes))
        }
    }

    private mutating func addConnection(_ field: HTTPField) {
        let options = field.withUnsafeBytesOfValue { (bytes: UnsafeBufferPointer<UInt8>) -> [String] in
            var options: [String] = []
            HTTP2RequestEncoder.forEachMember(of: UnsafeRawBufferPointer(bytes)) { (member: UnsafeRawBufferPointer) in
                // Other members name no field.
                guard AllowedOctets.token.allows(member) else { return }
                options.append(String(decoding: member, as: UTF8.self).lowercased())
            }
            return options
        }
        connectionOptions.append(contentsOf: options)
    }
}
