internal import Apus
internal import HTTPTypes

extension RequestPlan {
    /// Whether a field of this name was typed, to be sent or to be removed.
    func hasWord(on name: HTTPField.Name) -> Bool { typedFields.contains(name) || removedFields.contains(name) }

    /// Adds the fields of a session. They replace the command's default fields, but not typed fields.
    mutating func add(kept: HTTPFields) {
        var added: Set<HTTPField.Name> = []
        for field in kept where mayBeKept(field.name) {
            if added.insert(field.name).inserted { fields[field.name] = nil }
            fields.append(field)
        }
    }

    /// Whether the request takes a field of this name from the session.
    func mayBeKept(_ name: HTTPField.Name) -> Bool {
        switch name {
        case .contentType where isForm, .acceptEncoding where isDownload: false
        case .authorization where credentials != nil || target.userInformation != nil: false
        default: !hasWord(on: name)
        }
    }

    /// Whether the body is a multipart form, whose Content-Type needs its own boundary.
    private var isForm: Bool {
        if case .parts = content { true } else { false }
    }

    /// Removes the Cookie field, since the session's jar sends the typed cookies.
    mutating func removeCookies() { fields[.cookie] = nil }

    /// Sets the credentials and replaces any others.
    mutating func authorize(by credentials: Credentials) throws(CommandFault) {
        let field = try credentials.field()
        self.credentials = credentials
        removedFields.remove(.authorization)
        fields[fields: .authorization] = field.map { [$0] } ?? []
        // Otherwise the library would create a field from the user information in the URL.
        target = TargetURI(origin: target.origin, path: target.path)
    }
}
