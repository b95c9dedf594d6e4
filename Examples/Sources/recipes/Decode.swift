import Apus

/// Sends a JSON body and decodes a JSON response.
func decode(from service: String) async throws {
    struct Order: Codable, Sendable {
        let item: String
        let count: Int
    }
    struct Echo: Decodable, Sendable {
        let json: Order
    }

    let session = Session()
    let echo = try await session.post("\(service)/post", parameters: Order(item: "tea", count: 2), encoder: .json)
        .validate()
        .decode(Echo.self)
    print(echo.json.count, echo.json.item)
    await session.shutdown(within: .seconds(5))
}
