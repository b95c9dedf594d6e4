public import Apus
internal import ApusCore
public import Foundation

/// Stores the settings of a manager, in a file or by any `Codable` format.
extension HTTPSessionManager {
    /// Returns the settings of the manager as a value that can be stored.
    ///
    /// It contains the base URL, the configuration, both serializers and the security policy. It contains no code: no
    /// blocks or queues, no middleware, monitors, logger or clock of the configuration, and no transport. It contains
    /// whether cookies are on, but no cookies: a restored manager has an empty jar, unless its configuration provides
    /// one, such as a `CookieJar` with a file.
    ///
    /// - Returns: The archive. It includes the request serializer's fields, even `Authorization`, so store it as a
    ///   secret.
    /// - Throws: `ApusError` with the code `invalidConfiguration` if a serializer has a custom type, a closure for its
    ///   queries, or options other than its deadline and its handling of cookies.
    public func archive() throws(ApusError) -> Archive {
        Archive(
            manager: ArchivedManager(
                baseURL: baseURL?.absoluteString,
                configuration: ArchivedConfiguration(configuration),
                requestSerializer: try ArchivedRequestSerializer(requestSerializer),
                responseSerializer: try ArchivedResponseSerializer(responseSerializer),
                securityPolicy: ArchivedPolicy(securityPolicy)
            )
        )
    }

    /// Writes the archive to a file that only its owner can read. An existing file is replaced after a complete write.
    ///
    /// - Parameter fileURL: The file.
    /// - Throws: `ApusError`: `fileUnwritable`, or an error of `archive()`.
    public func archive(to fileURL: URL) async throws(ApusError) {
        var rest: BodyChunk? = BodyChunk(try archive().data)
        try await PartialFile.writeWhole(at: fileURL, isPrivate: true) { () async throws(ApusError) in
            defer { rest = nil }
            return rest
        }
    }

    /// Creates a manager from an archive.
    ///
    /// - Parameters:
    ///   - archive: The archive.
    ///   - configuration: Provides settings that archives lack, such as middleware. Default: `SessionConfiguration()`.
    /// - Throws: `ApusError` with the code `invalidConfiguration` if the archive contains invalid settings.
    public convenience init(
        archive: Archive,
        configuration: SessionConfiguration = SessionConfiguration()
    ) throws(ApusError) {
        let manager = archive.manager
        self.init(baseURL: try manager.url(), configuration: try manager.configuration.applied(to: configuration))
        try take(manager)
    }

    /// Creates a manager from an archive with a transport, such as a mock in tests.
    ///
    /// - Parameters:
    ///   - archive: The archive.
    ///   - configuration: Provides settings that archives lack, such as middleware. Default: `SessionConfiguration()`.
    ///   - transport: The transport that sends its requests.
    /// - Throws: `ApusError` with the code `invalidConfiguration` if the archive contains invalid settings.
    public convenience init(
        archive: Archive,
        configuration: SessionConfiguration = SessionConfiguration(),
        transport: some Transport
    ) throws(ApusError) {
        let manager = archive.manager
        let configuration = try manager.configuration.applied(to: configuration)
        self.init(baseURL: try manager.url(), configuration: configuration, transport: transport)
        try take(manager)
    }

    /// Creates a manager from an archive in a file.
    ///
    /// - Parameters:
    ///   - fileURL: The file, which is read synchronously.
    ///   - configuration: Provides settings that archives lack, such as middleware. Default: `SessionConfiguration()`.
    /// - Throws: `ApusError`: `fileUnreadable`, or `invalidConfiguration` if the file is not an archive, has another
    ///   version, or was changed.
    public convenience init(
        contentsOf fileURL: URL,
        configuration: SessionConfiguration = SessionConfiguration()
    ) throws(ApusError) {
        let archive = try Archive(contentsOf: fileURL)
        do throws(ApusError) {
            try self.init(archive: archive, configuration: configuration)
        } catch {
            throw error.inFile(fileURL)
        }
    }

    /// Applies the settings of an archive other than the base URL and the configuration.
    private func take(_ manager: ArchivedManager) throws(ApusError) {
        requestSerializer = try manager.requestSerializer.serializer()
        responseSerializer = try manager.responseSerializer.serializer()
        try setSecurityPolicy(manager.securityPolicy.policy)
    }
}
