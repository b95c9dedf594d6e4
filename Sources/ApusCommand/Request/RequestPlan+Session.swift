internal import Apus
internal import HTTPTypes

extension RequestPlan {
    /// Whether a field of that name was typed, to be sent or to be left out.
    func hasWord(on name: HTTPField.Name) -> Bool { typedFields.contains(name) || removedFields.contains(name) }

    /// Adds fields that a session has kept. They take the place of those that the command adds by itself, and not of
    /// what was typed.
    mutating func add(kept: HTTPFields) {
        var added: Set<HTTPField.Name> = []
        for field in kept where mayBeKept(field.name) {
            if added.insert(field.name).inserted { fields[field.name] = nil }
            fields.append(field)
        }
    }

    /// Whether the request gets a field of that name from a session that has it.
    func mayBeKept(_ name: HTTPField.Name) -> Bool {
        switch name {
        case .contentType where isForm, .acceptEncoding where isDownload: false
        case .authorization where credentials != nil || target.userInformation != nil: false
        default: !hasWord(on: name)
        }
    }

    /// Whether the content is a form's parts, whose type says what stands between them.
    private var isForm: Bool {
        if case .parts = content { true } else { false }
    }

    /// Leaves the cookies that were typed to the jar of a session.
    mutating func removeCookies() { fields[.cookie] = nil }

    /// Says who asks, whatever was said before.
    mutating func authorize(by credentials: Credentials) throws(CommandFault) {
        let field = try credentials.field()
        self.credentials = credentials
        removedFields.remove(.authorization)
        fields[fields: .authorization] = field.map { [$0] } ?? []
        // Else the library would make a field of what stands there.
        target = TargetURI(origin: target.origin, path: target.path)
    }
}
