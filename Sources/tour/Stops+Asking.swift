internal import Apus
internal import ApusTestServer
internal import Foundation

/// Stops about requests and responses.
enum Asking {
    /// The echoed properties that the tour checks.
    struct Echo: Decodable, Sendable {
        let method: String
        let headers: [String: String]
        let json: Bird?
    }

    struct Bird: Codable, Sendable, Hashable {
        let name: String
        let genus: String
        let topSpeed: Int
    }

    private struct Item: Decodable {
        let id: Int
        let name: String
    }

    private struct Problem: Decodable {
        let code: String
        let message: String
    }

    static func get(_ grounds: TourEnvironment) async throws -> Finding {
        let answer = try await grounds.session.get(grounds.server.url("/get")).validate()
        try expect(answer.fields[.contentType], is: "application/json", "the content type")
        return Finding("\(answer.status.code), \(answer.data.count) bytes of JSON", answer.metrics.exchanges)
    }

    static func typed(_ grounds: TourEnvironment) async throws -> Finding {
        let answer = try await grounds.session.get(grounds.server.url("/json/1000")).validate()
        let items = try answer.decode([Item].self)
        try expect(items.map(\.id) == Array(0..<1000), "1000 items, numbered", found: items.count)
        return Finding("\(items.count) items, the last '\(items[999].name)'", answer.metrics.exchanges)
    }

    static func callbacks(_ grounds: TourEnvironment) async throws -> Finding {
        let isMain = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: isMain, value: true)
        let request = grounds.session.request(grounds.server.url("/get")).validate()
        let (data, wasOnMain) = await withCheckedContinuation { continuation in
            request.responseData { response in
                continuation.resume(returning: (response.value, DispatchQueue.getSpecific(key: isMain) == true))
            }
        }
        try expect(wasOnMain, "the callback on .main", found: "another queue")
        // The request has finished, so a late handler receives the stored response.
        let late = await withCheckedContinuation { continuation in
            request.responseDecodable(of: Echo.self) { continuation.resume(returning: $0) }
        }
        try expect(late.data, is: data, "the body for both callbacks")
        return Finding("Data, then \(try late.result.get().method) decoded, on .main", request.metrics.exchanges)
    }

    static func refusal(_ grounds: TourEnvironment) async throws -> Finding {
        let error = try await failure(.unacceptableStatus) {
            try await grounds.session.get(grounds.otherServer.url("/problem")).validate()
        }
        guard let problem = error.decodeData(as: Problem.self) else {
            throw Unexpected(expected: "the body to be kept", found: "\(error.data?.count ?? 0) bytes")
        }
        return Finding("\(error.responseCode ?? 0), \(problem.code): \(problem.message)", error.exchanges)
    }

    static func post(_ grounds: TourEnvironment) async throws -> Finding {
        let swift = Bird(name: "common swift", genus: "Apus", topSpeed: 111)
        let answer = try await grounds.session.post(
            grounds.server.url("/post"),
            fields: [.contentType: "application/json"],
            body: .bytes(try JSONEncoder().encode(swift))
        ).validate()
        try expect(try answer.decode(Echo.self).json, is: swift, "the echo")
        return Finding("the echo is the \(swift.name) sent", answer.metrics.exchanges)
    }
}
