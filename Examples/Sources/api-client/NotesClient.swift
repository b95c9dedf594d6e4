import Apus

/// A note of the service.
struct Note: Codable, Sendable {
    let id: Int
    let text: String
}

/// The error response of the service.
struct Problem: Decodable, Error {
    let title: String
}

/// A client of a service that stores notes. The URL of the service is the base URL of its session.
struct NotesClient {
    let session: Session

    func notes(containing text: String) async throws -> [Note] {
        try await explained { () async throws(ApusError) in
            try await session.get("notes", parameters: ["text": text]).validate().decode()
        }
    }

    func add(_ note: Note) async throws -> Note {
        try await explained { () async throws(ApusError) in
            try await session.post("notes", parameters: note, encoder: .json)
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
