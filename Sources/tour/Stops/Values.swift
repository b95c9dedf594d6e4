internal import Apus
internal import ApusDocuments
internal import ApusTestServer
internal import Foundation

/// Stops about encoding values for requests and decoding values from responses.
enum Values {
    private struct Sighting: Codable, Sendable, Hashable {
        let bird: String
        let count: Int
        let isNesting: Bool
        let notes: [String]
        let place: [String: String]

        static let swifts = Sighting(
            bird: "Apus apus",
            count: 12,
            isNesting: true,
            notes: ["screaming & diving", "50 % juvenile"],
            place: ["city": "Köln"]
        )
    }

    private struct JSONEcho: Decodable {
        let json: Sighting?
    }

    private struct Receipt: Decodable {
        let bytes: Int64
    }

    private struct Problem: Decodable, Sendable {
        let code: String
        let message: String
    }

    static func form(_ environment: TourEnvironment) async throws -> Finding {
        let response = try await environment.session.post(
            environment.server.url("/post"),
            parameters: Sighting.swifts,
            encoder: .urlEncodedForm
        ).validate()
        let expected: JSONValue = [
            "bird": "Apus apus", "count": "12", "isNesting": "1",
            "notes[]": ["screaming & diving", "50 % juvenile"], "place[city]": "Köln",
        ]
        try expect(try response.json()["form"], is: expected, "the form")
        return Finding("5 fields, one of them twice, in their order", response.metrics.exchanges)
    }

    static func json(_ environment: TourEnvironment) async throws -> Finding {
        let response = try await environment.session.post(
            environment.server.url("/post"),
            parameters: Sighting.swifts,
            encoder: .json
        )
        .validate()
        try expect(try response.decode(JSONEcho.self).json, is: Sighting.swifts, "the echo")
        let value = try response.json()
        try expect(value["json"]["notes"][1]?.string, is: "50 % juvenile", "a value by its path")
        return Finding("typed there and back; json.notes[1] is '50 % juvenile'", response.metrics.exchanges)
    }

    static func multipart(_ environment: TourEnvironment) async throws -> Finding {
        let file = environment.folder.appending(path: "field recording \"dawn\".wav")
        let byteCount = 64 << 20
        try Data(TestServer.pattern(count: byteCount)).write(to: file)
        var form = MultipartFormData()
        form.append("Apus apus", withName: "bird")
        try form.append(file, withName: "recording")
        guard let length = form.contentLength else {
            throw Unexpected(expected: "a known length", found: "none")
        }
        let steps = Counter()
        let bar = ProgressBar("multipart upload", environment.screen)
        let request = environment.session.upload(multipartFormData: form, to: environment.server.url("/upload"))
            .validate()
            .uploadProgress(queue: bar.queue) { progress in
                steps.increment()
                bar.show(progress)
            }
        let receipt = try await request.serializingDecodable(Receipt.self).value
        bar.clear()
        try expect(receipt.bytes, is: length, "the bytes that arrived")
        try expect(length > byteCount, "more than the file", found: length)
        return Finding("64 MiB from disk, \(length - Int64(byteCount)) bytes around it", request.metrics.exchanges)
    }

    static func explanation(_ environment: TourEnvironment) async throws -> Finding {
        let task = environment.session.request(environment.otherServer.url("/problem")).validate().serializingString()
        do {
            let value = try await task.value(orThrowing: Problem.self)
            throw Unexpected(expected: "an error", found: value)
        } catch ServiceFailure<Problem>.refused(let problem, let error) {
            try expect(problem.code, is: "nest-taken", "the code")
            return Finding("a Problem: \(problem.message)", error.exchanges)
        }
    }

    static func xml(_ environment: TourEnvironment) async throws -> Finding {
        let response = try await environment.session.get(environment.server.url("/xml")).validate()
        let document = try response.xml()
        try expect(document.root.name, is: "slideshow", "the root")
        try expect(document.root.attribute("title"), is: "Apus", "its title")
        return Finding("<\(document.root.name)> with the title 'Apus'", response.metrics.exchanges)
    }

    static func propertyList(_ environment: TourEnvironment) async throws -> Finding {
        let response = try await environment.session.post(
            environment.otherServer.url("/mirror"),
            parameters: Sighting.swifts,
            encoder: .propertyList
        ).validate()
        let mirrored = try response.decode(Sighting.self, decoder: PropertyListDecoder())
        try expect(mirrored, is: Sighting.swifts, "the response")
        return Finding(
            "\(response.data.count) bytes of \(response.fields[.contentType] ?? "nothing")",
            response.metrics.exchanges
        )
    }

    static func compressed(_ environment: TourEnvironment) async throws -> Finding {
        let text = String(repeating: "Apus apus, ", count: 10_000)
        let request = try RequestMessage(environment.server.url("/post"), method: .post, body: .string(text))
            .compressed(with: RequestCompression(.gzip))
        let response = try await environment.session.send(request).validate()
        struct Echo: Decodable { let data: String }
        try expect(try response.decode(Echo.self).data == text, "the text", found: "another")
        let sent = response.metrics.exchanges.last?.requestBodyBytes ?? 0
        try expect(sent > 0 && sent < text.utf8.count / 10, "less than a tenth on the wire", found: sent)
        return Finding("\(text.utf8.count) bytes sent as \(sent)", response.metrics.exchanges)
    }
}
