public import Apus
internal import ApusCore
public import Foundation

/// What a manager was told, kept in a file or wherever `Codable` goes.
nonisolated extension HTTPSessionManager {
    /// What the manager was told, as a value that can be kept.
    ///
    /// It has the base URL, the configuration, both serializers and the security policy. It has no code: neither blocks and
    /// queues, nor the configuration's middleware, monitors, logger and clock, nor a transport.
    ///
    /// - Returns: The archive. The fields of the request serializer are in it, an `Authorization` too: keep it where
    ///   secrets are kept.
    /// - Throws: `ApusError` with the code `invalidConfiguration`, where a serializer is of a type of your own, or writes
    ///   its queries by a closure.
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

    /// Writes the archive into a file that nobody but its owner may read; one that is there is replaced when all is written.
    ///
    /// - Parameter fileURL: The file.
    /// - Throws: `ApusError`: `fileUnwritable`, or what `archive()` throws.
    public func archive(to fileURL: URL) async throws(ApusError) {
        let data = try archive().data
        let sink = try FileSink(at: fileURL)
        var rest: BodyChunk? = BodyChunk(data)
        _ = try await sink.write { () async throws(ApusError) in
            guard let chunk = rest else { return nil }
            try sink.restrictToOwner()
            rest = nil
            return chunk
        }
    }

    /// Makes a manager of an archive.
    ///
    /// - Parameters:
    ///   - archive: The archive.
    ///   - configuration: Where the session gets what no archive has, its middleware for example; the defaults by default.
    /// - Throws: `ApusError` with the code `invalidConfiguration`, where something in the archive can't be.
    public convenience init(
        archive: Archive,
        configuration: SessionConfiguration = SessionConfiguration()
    ) throws(ApusError) {
        let manager = archive.manager
        self.init(baseURL: try manager.url(), configuration: try manager.configuration.applied(to: configuration))
        try take(manager)
    }

    /// Makes a manager of an archive, over a transport: a mock, in a test.
    ///
    /// - Parameters:
    ///   - archive: The archive.
    ///   - configuration: Where the session gets what no archive has, its middleware for example; the defaults by default.
    ///   - transport: What carries its requests.
    /// - Throws: `ApusError` with the code `invalidConfiguration`, where something in the archive can't be.
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

    /// Makes a manager of the archive in a file.
    ///
    /// - Parameters:
    ///   - fileURL: The file, which is read here and now.
    ///   - configuration: Where the session gets what no archive has, its middleware for example; the defaults by default.
    /// - Throws: `ApusError`: `fileUnreadable`, or `invalidConfiguration` where the file is no archive, or one of another
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

    /// Takes on what an archive says besides the base URL and the configuration.
    private func take(_ manager: ArchivedManager) throws(ApusError) {
        requestSerializer = try manager.requestSerializer.serializer()
        responseSerializer = try manager.responseSerializer.serializer()
        try setSecurityPolicy(manager.securityPolicy.policy)
    }
}
