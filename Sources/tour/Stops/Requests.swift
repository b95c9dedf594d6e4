internal import Apus
internal import ApusTestServer
internal import Foundation

/// Stops about requests and responses.
enum Requests {
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

    static func get(_ environment: TourEnvironment) async throws -> Finding {
        let response = try await environment.session.get(environment.server.url("/get")).validate()
        try expect(response.fields[.contentType], is: "application/json", "the content type")
        return Finding("\(response.status.code), \(response.data.count) bytes of JSON", response.metrics.exchanges)
    }

    static func typed(_ environment: TourEnvironment) async throws -> Finding {
        let response = try await environment.session.get(environment.server.url("/json/1000")).validate()
        let items = try response.decode([Item].self)
        try expect(items.map(\.id) == Array(0..<1000), "1000 items, numbered", found: items.count)
        return Finding("\(items.count) items, the last '\(items[999].name)'", response.metrics.exchanges)
    }

    static func callbacks(_ environment: TourEnvironment) async throws -> Finding {
        let isMain = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: isMain, value: true)
        let request = environment.session.request(environment.server.url("/get")).validate()
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

    static func refusal(_ environment: TourEnvironment) async throws -> Finding {
        let error = try await failure(.unacceptableStatus) {
            try await environment.session.get(environment.otherServer.url("/problem")).validate()
        }
        guard let problem = error.decodeData(as: Problem.self) else {
            throw Unexpected(expected: "the body to be kept", found: "\(error.data?.count ?? 0) bytes")
        }
        return Finding("\(error.responseCode ?? 0), \(problem.code): \(problem.message)", error.exchanges)
    }

    static func post(_ environment: TourEnvironment) async throws -> Finding {
        let swift = Bird(name: "common swift", genus: "Apus", topSpeed: 111)
        let response = try await environment.session.post(
            environment.server.url("/post"),
            fields: [.contentType: "application/json"],
            body: .bytes(try JSONEncoder().encode(swift))
        ).validate()
        try expect(try response.decode(Echo.self).json, is: swift, "the echo")
        return Finding("the echo is the \(swift.name) sent", response.metrics.exchanges)
    }
}
