internal import Apus
internal import ApusTesting
internal import Foundation
internal import Testing

/// Forms on their way through a session, a connection and a server of other people's, and what that has read.
@Suite(.enabled(if: Servers.areThere, "Scripts/interop starts the servers"), .timeLimit(.minutes(2)))
struct HTTPBinFormTests {
    private let session = Session()
    private let httpbin = Servers.httpbin

    @Test func echoesForms() async throws {
        var hostile = Hostile(seed: 3)
        for number in 0..<200 {
            let form = FormCase(&hostile)
            guard form.isTellable else { continue }
            let echo = try await session.request(
                "\(httpbin)/post",
                method: .post,
                parameters: form.root,
                encoder: .urlEncodedForm(encoder: form.encoder)
            ).validate().serializingDecodable(FormEcho.self).value
            #expect(echo.form?.exactly == form.read, "form \(number)")
        }
        try await assertNothingLeft(session)
    }

    @Test func echoesQueries() async throws {
        var hostile = Hostile(seed: 4)
        for number in 0..<100 {
            let form = FormCase(&hostile, count: 3)
            let length = try form.encoder.encode(form.root).utf8.count
            // Longer lines are none of gunicorn's.
            guard form.isTellable, length < 4000 else { continue }
            let echo = try await session.get(
                "\(httpbin)/get",
                parameters: form.root,
                encoder: .urlEncodedForm(encoder: form.encoder)
            ).validate().decode(FormEcho.self)
            #expect(echo.args?.exactly == form.read, "query \(number)")
        }
        try await assertNothingLeft(session)
    }

    @Test func echoesFormsWithFiles() async throws {
        // Between quotes, Flask takes a backslash for the escape that browsers do not write.
        var hostile = Hostile(seed: 5, without: "\\")
        try await CaseFolder.withTemporary { folder in
            for number in 0..<200 {
                let multipart = try MultipartCase(&hostile, folder: folder, isForEchoes: true)
                guard !multipart.isRefused else { continue }
                let echo = try await session.post("\(httpbin)/post", multipart: multipart.form)
                    .validate().decode(FormEcho.self)
                let (fields, files) = multipart.read
                #expect(echo.form?.exactly == fields, "form \(number)")
                #expect(echo.files?.exactly == files, "form \(number)")
            }
        }
        try await assertNothingLeft(session)
    }
}

/// What httpbin has read: values by name, a list where there are several.
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
private typealias Fields = [Exactly: [Exactly]]

/// A text by its bytes: strings are the same to Swift where they only look it.
private struct Exactly: Hashable, CustomStringConvertible {
    private let bytes: [UInt8]

    init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }
    init(_ text: String) { self.init(text.utf8) }

    var description: String { String(decoding: bytes, as: UTF8.self).debugDescription }
}

extension [String: FormEcho.Values] {
    fileprivate var exactly: Fields {
        reduce(into: Fields()) { $0[Exactly($1.key)] = $1.value.all.map { Exactly($0) } }
    }
}

extension FormCase {
    /// Whether no two names only look the same, so that a dictionary by strings has them all.
    fileprivate var isTellable: Bool {
        Set(meant.map(\.name)).count == Set(meant.map { Exactly($0.name) }).count
    }

    /// What is read: an empty name alone is no field, another one alone has the empty value.
    fileprivate var read: Fields {
        meant.filter { !$0.name.isEmpty || $0.value != nil }.reduce(into: Fields()) { fields, pair in
            fields[Exactly(pair.name), default: []].append(Exactly(pair.value ?? ""))
        }
    }
}

extension MultipartCase {
    /// What is read: of files what is no UTF-8 comes as a `data` URL.
    fileprivate var read: (fields: Fields, files: Fields) {
        var (fields, files) = (Fields(), Fields())
        for part in parts {
            let name = Exactly(Self.read(part.name))
            if part.fileName == nil {
                fields[name] = [Exactly(part.content)]
            } else if String(validating: part.content, as: UTF8.self) != nil {
                files[name] = [Exactly(part.content)]
            } else {
                let type = part.mimeType ?? "application/octet-stream"
                files[name] = [Exactly("data:\(type);base64,\(part.content.base64EncodedString())")]
            }
        }
        return (fields, files)
    }

    /// A name as it is sent and read: line breaks become CR LF and stay encoded, an encoded quote is a quote again.
    private static func read(_ name: String) -> String {
        let replacements = [("\r\n", "\n"), ("\r", "\n"), ("\n", "%0D%0A"), ("%22", "\"")]
        return String(
            replacements.reduce(name.unicodeScalars) { $0.replacing($1.0.unicodeScalars, with: $1.1.unicodeScalars) }
        )
    }
}
