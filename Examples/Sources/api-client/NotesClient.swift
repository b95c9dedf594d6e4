import Apus
import Foundation

/// A note of the service.
struct Note: Codable, Sendable {
    let id: Int
    let text: String
}

/// The error response of the service.
struct Problem: Decodable, Error {
    let title: String
}

/// A client of a service that stores notes.
struct NotesClient {
    private let session: Session
    private let base: String

    init(base: String, session: Session) {
        self.base = base
        self.session = session
    }

    func notes(containing text: String) async throws -> [Note] {
        let query = [URLQueryItem(name: "text", value: text)]
        return try await explained { () async throws(ApusError) in
            try await session.get("\(base)/notes", query: query).validate().decode()
        }
    }

    func add(_ note: Note) async throws -> Note {
        let body = try RequestBody.bytes(JSONEncoder().encode(note))
        return try await explained { () async throws(ApusError) in
            try await session.post("\(base)/notes", fields: [.contentType: "application/json"], body: body)
                .validate(statusCodes: 201..<202)
                .decode()
        }
    }

    /// Throws the error of the service if the response has one, else the error of the session.
    private func explained<Value>(_ call: () async throws(ApusError) -> Value) async throws -> Value {
        do throws(ApusError) {
            return try await call()
        } catch {
            throw error.decodeData(as: Problem.self) ?? error as any Error
        }
    }
}
