package import ApusCore

extension RequestContext {
    /// Creates the context of a request that no session sends.
    package convenience init(environment: SessionEnvironment, options: RequestOptions = .none) {
        let chain = Chain([], transport: BodyTransport { _ in .empty })
        self.init(core: SessionCore(environment: environment, chain: chain), options: options)
    }
}
