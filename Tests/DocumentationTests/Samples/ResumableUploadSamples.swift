internal import Apus
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

/// The code about resumable uploads, in the guide to transfers that survive and in comments.
@Suite(.timeLimit(.minutes(5)))
final class ResumableUploadSamples {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "apus-samples-\(UUID().uuidString)")
    private let movie: URL
    private let stateFile: URL

    init() throws {
        movie = folder.appending(path: "movie.mp4")
        stateFile = folder.appending(path: "upload.json")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("a movie".utf8).write(to: movie)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    @Test func uploadsAFile() async throws {
        let transport = MockTransport { _ in MockResponse(status: .created) }
        let session = Session(transport: transport)
        let movie = movie
        let upload = session.uploadResumably(movie, to: "https://api.example.org/movies")
        let response = try await upload.response().validate()
        #expect(response.status == .created)
        #expect(try await transport.requests[0].body.data() == Data("a movie".utf8))
    }

    @Test func hasAPolicy() {
        let patient = ResumableUpload.Policy(retryLimit: 20, maximumDelay: .seconds(120))
        #expect(patient.retryLimit == 20)
    }

    /// A server that announces an upload resource, loses its connection, and does not continue the upload.
    private static let interrupting = MockTransport { request in
        guard request.method == .post else { return MockResponse(status: .forbidden) }
        let failure = ApusError(.connectionClosed, "the server closed the connection")
        var response = MockResponse(chunks: [], failure: failure)
        let announcement = try HTTPFields(checking: [
            "Upload-Draft-Interop-Version": "6", "Location": "/uploads/1",
        ])
        response.informational = [HTTPResponse(status: .init(code: 104), headerFields: announcement)]
        return response
    }

    /// A server that has two bytes.
    private static let continuing = MockTransport { request in
        guard request.method == .head else { return MockResponse(status: .created) }
        return MockResponse(status: .noContent, fields: try HTTPFields(checking: ["Upload-Offset": "2"]))
    }

    @Test func continuesAnUpload() async throws {
        let stateFile = stateFile
        do {
            let session = Session(transport: Self.interrupting)
            let policy = ResumableUpload.Policy(scale: .zero)
            let upload = session.uploadResumably(movie, to: "https://api.example.org/movies", policy: policy)
            await #expect(throws: ApusError.self) { try await upload.response() }
            for await state in upload.states() {
                try JSONEncoder().encode(state).write(to: stateFile, options: .atomic)
            }
        }
        let session = Session(transport: Self.continuing)
        let state = try JSONDecoder().decode(ResumableUpload.State.self, from: Data(contentsOf: stateFile))
        let response = try await session.uploadResumably(resumingWith: state).response().validate()
        #expect(response.status == .created)
        #expect(try await Self.continuing.requests.last?.body.data() == Data("movie".utf8))
    }
}
