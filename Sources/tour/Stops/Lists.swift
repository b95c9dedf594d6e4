internal import Apus
internal import ApusResilience
internal import ApusTestServer
internal import Foundation

/// Stops about a service's paths, its listings and its streams.
enum Lists {
    /// A path below the session's base URL, with fields as strings.
    static func base(_ environment: TourEnvironment) async throws -> Finding {
        try await environment.withSession {
            $0.baseURL = environment.server.url("/")
        } _: { session in
            let response = try await session.get(
                "get",
                query: [URLQueryItem(name: "wing", value: "left")],
                fields: ["X-Ring": "CH-7731", "Accept": "application/json"]
            ).validate()
            let echo = try response.decode(Requests.Echo.self)
            try expect(echo.headers["X-Ring"] ?? echo.headers["x-ring"], is: "CH-7731", "the field")
            return Finding("get?wing=left below \(response.target.origin)", response.metrics.exchanges)
        }
    }

    /// Follows the links from page to page.
    static func pages(_ environment: TourEnvironment) async throws -> Finding {
        let url = environment.otherServer.url("/sightings?page=1")
        return try await environment.withSession { session in
            var birds: [Requests.Bird] = []
            var requests: [[ExchangeMetrics]] = []
            for try await page in session.pages(of: url) {
                birds += try page.validate().decode([Requests.Bird].self)
                requests.append(page.metrics.exchanges)
            }
            try expect(birds.map(\.topSpeed), is: Array(0..<Sightings.count), "the birds of all pages")
            return Finding("\(birds.count) sightings on \(requests.count) pages", requests: requests)
        }
    }

    /// Decodes each line of a stream when it arrives, although the pieces end in the middle of lines.
    static func lines(_ environment: TourEnvironment) async throws -> Finding {
        let url = environment.otherServer.url("/sightings.ndjson")
        return try await environment.withSession { session in
            let response = try await session.stream(url, options: [ResponseValidation.success])
            var count = 0
            for try await bird in response.body.decoded(Requests.Bird.self) {
                try expect(bird.topSpeed, is: count, "the bird of line \(count + 1)")
                count += 1
            }
            try expect(count, is: Sightings.count, "the lines")
            return Finding("\(count) birds, one a line", response.metrics.exchanges)
        }
    }

    /// Twenty identical requests at once, one of which is sent.
    static func shared(_ environment: TourEnvironment) async throws -> Finding {
        let server = environment.otherServer
        let url = server.url("/census")
        return try await environment.withSession {
            $0.networkMiddleware = [Deduplication()]
        } _: { session in
            let requests = try await withThrowingTaskGroup(of: [ExchangeMetrics].self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        let response = try await session.get(url).validate()
                        try expect(try response.string(), is: "9 pairs", "the census")
                        return response.metrics.exchanges
                    }
                }
                return try await group.reduce(into: [[ExchangeMetrics]]()) { $0.append($1) }
            }
            try expect(requests.count, is: 20, "the responses")
            let visits = server.requests.count { $0.path == "/census" }
            // A request that comes after the response is sent by itself.
            try expect(visits < 20, "fewer exchanges than requests", found: visits)
            return Finding("20 responses from \(visits) exchange\(visits == 1 ? "" : "s")", requests: requests)
        }
    }
}
