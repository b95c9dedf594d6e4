/// The echo of a request by the endpoints of the test server. Each name has one value.
struct Echo: Decodable, Sendable {
    struct Person: Codable, Sendable, Equatable {
        var name: String?
        var age: Int?
    }

    let method: String
    let args: [String: String]
    let headers: [String: String]
    let data: String
    let form: [String: String]
    let json: Person?
}
