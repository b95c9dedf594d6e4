internal import Apus
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

    static func form(_ grounds: TourEnvironment) async throws -> Finding {
        let answer = try await grounds.session.post(
            grounds.server.url("/post"),
            parameters: Sighting.swifts,
            encoder: .urlEncodedForm
        ).validate()
        let expected: JSONValue = [
            "bird": "Apus apus", "count": "12", "isNesting": "1",
            "notes[]": ["screaming & diving", "50 % juvenile"], "place[city]": "Köln",
        ]
        try expect(try answer.json()["form"], is: expected, "the form")
        return Finding("5 fields, one of them twice, in their order", answer.metrics.exchanges)
    }

    static func json(_ grounds: TourEnvironment) async throws -> Finding {
        let answer = try await grounds.session.post(grounds.server.url("/post"), parameters: Sighting.swifts).validate()
        try expect(try answer.decode(JSONEcho.self).json, is: Sighting.swifts, "the echo")
        let value = try answer.json()
        try expect(value["json"]["notes"][1]?.string, is: "50 % juvenile", "a value by its path")
        return Finding("typed there and back; json.notes[1] is '50 % juvenile'", answer.metrics.exchanges)
    }

    static func multipart(_ grounds: TourEnvironment) async throws -> Finding {
        let file = grounds.folder.appending(path: "field recording \"dawn\".wav")
        let byteCount = 64 << 20
        try Data(TestServer.pattern(count: byteCount)).write(to: file)
        var form = MultipartFormData()
        form.append("Apus apus", withName: "bird")
        try form.append(file, withName: "recording")
        guard let length = form.contentLength else {
            throw Unexpected(expected: "a known length", found: "none")
        }
        let steps = Counter()
        let bar = ProgressBar("multipart upload", grounds.screen)
        let request = grounds.session.upload(multipartFormData: form, to: grounds.server.url("/upload"))
            .validate()
            .uploadProgress(queue: bar.queue) { completed, total in
                steps.increment()
                bar.show(completed, of: total)
            }
        let receipt = try await request.serializingDecodable(Receipt.self).value
        bar.clear()
        try expect(receipt.bytes, is: length, "the bytes that arrived")
        try expect(length > byteCount, "more than the file", found: length)
        return Finding("64 MiB from disk, \(length - Int64(byteCount)) bytes around it", request.metrics.exchanges)
    }

    static func explanation(_ grounds: TourEnvironment) async throws -> Finding {
        let task = grounds.session.request(grounds.otherServer.url("/problem")).validate().serializingString()
        do {
            let value = try await task.value(orThrowing: Problem.self)
            throw Unexpected(expected: "an error", found: value)
        } catch ServiceFailure<Problem>.refused(let problem, let error) {
            try expect(problem.code, is: "nest-taken", "the code")
            return Finding("a Problem: \(problem.message)", error.exchanges)
        }
    }

    static func xml(_ grounds: TourEnvironment) async throws -> Finding {
        let answer = try await grounds.session.get(grounds.server.url("/xml")).validate()
        let document = try answer.xml()
        try expect(document.root.name, is: "slideshow", "the root")
        try expect(document.root.attribute("title"), is: "Apus", "its title")
        return Finding("<\(document.root.name)> with the title 'Apus'", answer.metrics.exchanges)
    }

    static func propertyList(_ grounds: TourEnvironment) async throws -> Finding {
        let answer = try await grounds.session.post(
            grounds.otherServer.url("/mirror"),
            parameters: Sighting.swifts,
            encoder: .propertyList
        ).validate()
        let mirrored = try answer.decode(Sighting.self, decoder: PropertyListDecoder())
        try expect(mirrored, is: Sighting.swifts, "the response")
        return Finding(
            "\(answer.data.count) bytes of \(answer.fields[.contentType] ?? "nothing")",
            answer.metrics.exchanges
        )
    }

    static func compressed(_ grounds: TourEnvironment) async throws -> Finding {
        let text = String(repeating: "Apus apus, ", count: 10_000)
        let request = try RequestMessage(grounds.server.url("/post"), method: .post, body: .string(text))
            .compressed(with: RequestCompression(.gzip))
        let answer = try await grounds.session.send(request).validate()
        struct Echo: Decodable { let data: String }
        try expect(try answer.decode(Echo.self).data == text, "the text", found: "another")
        let sent = answer.metrics.exchanges.last?.requestBodyBytes ?? 0
        try expect(sent > 0 && sent < text.utf8.count / 10, "less than a tenth on the wire", found: sent)
        return Finding("\(text.utf8.count) bytes sent as \(sent)", answer.metrics.exchanges)
    }
}
