internal import Apus
internal import ApusTesting
internal import Foundation
internal import Testing

/// Forms that a session sends to httpbin, and httpbin's echo of them.
@Suite(.enabled(if: Servers.areRunning, "Scripts/interop starts the servers"), .timeLimit(.minutes(2)))
struct HTTPBinFormTests {
    private let session = Session()
    private let httpbin = Servers.httpbin

    @Test func echoesForms() async throws {
        var hostile = Hostile(seed: 3)
        for number in 0..<200 {
            let form = FormCase(&hostile)
            guard form.hasDistinctNames else { continue }
            let echo = try await session.request(
                "\(httpbin)/post",
                method: .post,
                parameters: form.root,
                encoder: .urlEncodedForm(encoder: form.encoder)
            ).validate().serializingDecodable(FormEcho.self).value
            #expect(echo.form?.byBytes == form.expectedEcho, "form \(number)")
        }
        try await assertNothingLeft(session)
    }

    @Test func echoesQueries() async throws {
        var hostile = Hostile(seed: 4)
        for number in 0..<100 {
            let form = FormCase(&hostile, count: 3)
            let length = try form.encoder.encode(form.root).utf8.count
            // gunicorn rejects longer lines.
            guard form.hasDistinctNames, length < 4000 else { continue }
            let echo = try await session.get(
                "\(httpbin)/get",
                parameters: form.root,
                encoder: .urlEncodedForm(encoder: form.encoder)
            ).validate().decode(FormEcho.self)
            #expect(echo.args?.byBytes == form.expectedEcho, "query \(number)")
        }
        try await assertNothingLeft(session)
    }

    @Test func echoesFormsWithFiles() async throws {
        // Inside quotes, Flask reads a backslash as an escape, which browsers do not write.
        var hostile = Hostile(seed: 5, without: "\\")
        try await CaseFolder.withTemporary { folder in
            for number in 0..<200 {
                let multipart = try MultipartCase(&hostile, folder: folder, isForEchoes: true)
                guard !multipart.isRejected else { continue }
                let echo = try await session.post("\(httpbin)/post", multipart: multipart.form)
                    .validate().decode(FormEcho.self)
                let (fields, files) = multipart.expectedEcho
                #expect(echo.form?.byBytes == fields, "form \(number)")
                #expect(echo.files?.byBytes == files, "form \(number)")
            }
        }
        try await assertNothingLeft(session)
    }
}

/// httpbin's echo: values by name, as a list if there are several.
private struct FormEcho: Decodable, Sendable {
    let form: [String: Values]?
    let args: [String: Values]?
    let files: [String: Values]?

    struct Values: Decodable {
        let all: [String]

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            all = try (try? [container.decode(String.self)]) ?? container.decode([String].self)
        }
    }
}

/// Values by name.
private typealias Fields = [ByteText: [ByteText]]

/// A text compared by its bytes, since Swift compares strings by canonical equivalence.
private struct ByteText: Hashable, CustomStringConvertible {
    private let bytes: [UInt8]

    init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }
    init(_ text: String) { self.init(text.utf8) }

    var description: String { String(decoding: bytes, as: UTF8.self).debugDescription }
}

extension [String: FormEcho.Values] {
    fileprivate var byBytes: Fields {
        reduce(into: Fields()) { $0[ByteText($1.key)] = $1.value.all.map { ByteText($0) } }
    }
}

extension FormCase {
    /// Whether canonically equal names are also equal in bytes, so that a dictionary with string keys has them all.
    fileprivate var hasDistinctNames: Bool {
        Set(meant.map(\.name)).count == Set(meant.map { ByteText($0.name) }).count
    }

    /// The expected echo: an empty name alone is no field, and another name alone has the empty value.
    fileprivate var expectedEcho: Fields {
        meant.filter { !$0.name.isEmpty || $0.value != nil }.reduce(into: Fields()) { fields, pair in
            fields[ByteText(pair.name), default: []].append(ByteText(pair.value ?? ""))
        }
    }
}

extension MultipartCase {
    /// The expected echo: the contents of files that are not UTF-8 arrive as a `data` URL.
    fileprivate var expectedEcho: (fields: Fields, files: Fields) {
        var (fields, files) = (Fields(), Fields())
        for part in parts {
            let name = ByteText(Self.expectedName(part.name))
            if part.fileName == nil {
                fields[name] = [ByteText(part.content)]
            } else if String(validating: part.content, as: UTF8.self) != nil {
                files[name] = [ByteText(part.content)]
            } else {
                let type = part.mimeType ?? "application/octet-stream"
                files[name] = [ByteText("data:\(type);base64,\(part.content.base64EncodedString())")]
            }
        }
        return (fields, files)
    }

    /// Returns a name as sent and read: line breaks become CR LF and stay encoded, and an encoded quote is decoded.
    private static func expectedName(_ name: String) -> String {
        let replacements = [("\r\n", "\n"), ("\r", "\n"), ("\n", "%0D%0A"), ("%22", "\"")]
        return String(
            replacements.reduce(name.unicodeScalars) { $0.replacing($1.0.unicodeScalars, with: $1.1.unicodeScalars) }
        )
    }
}
