internal import ApusCore
internal import HTTPTypes

/// The parts of a request that must be equal for a shared exchange.
struct DeduplicationKey: Sendable, Hashable {
    /// The methods whose exchanges are shared.
    private static let methods: Set<HTTPRequest.Method> = [.get, .head]

    /// Another session has another position, and so has each request with its own credential.
    private let place: Next.Place
    private let method: HTTPRequest.Method
    private let target: TargetURI
    private let fields: HTTPFields
    private let options: ComparableOptions
    /// Whether the request was made by user code that other requests wait for. It must not join an exchange that waits
    /// for a permit of theirs.
    private let isUrgent: Bool

    var origin: Origin { target.origin }

    /// Returns `nil` for a request whose exchange must not be shared.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: Its context.
    ///   - next: The rest of the chain.
    ///   - names: The fields that may differ. Fields that may hold a secret are compared regardless.
    init?(
        _ request: RequestMessage,
        _ context: RequestContext,
        _ next: Next,
        ignoring names: Set<HTTPField.Name>
    ) {
        // A hedge is a second exchange on purpose.
        guard Self.methods.contains(request.method), request.body.isNone, context.collectsBody, next.cause != .hedge,
            let options = context.comparableOptions(of: request)
        else { return nil }
        var fields = request.fields
        if !names.isEmpty { fields.removeAll { names.contains($0.name) && !Redaction.isSecret($0.name) } }
        self.place = next.place
        self.method = request.method
        self.target = request.target
        self.fields = fields
        self.options = options
        self.isUrgent = context.isMadeByUserCode
    }
}
