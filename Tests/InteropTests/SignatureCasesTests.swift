internal import Apus
internal import ApusTesting
internal import Foundation
internal import Testing

/// Writes signed requests. Scripts/support/interop/signatures.py compares them with botocore's.
@Suite(.enabled(if: !CaseFolder.path.isEmpty, "Scripts/interop names the folder"), .timeLimit(.minutes(2)))
struct SignatureCasesTests {
    @Test func writesSignedRequests() async throws {
        var hostile = Hostile(seed: 6)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        var lines: [Data] = []
        for number in 0..<600 {
            let signature = try await SignatureCase(&hostile, number: number)
            lines.append(try encoder.encode(signature))
        }
        try CaseFolder.write(lines, to: "signatures.ndjson")
    }
}

/// A request, the inputs of its signature, and the signatures.
private struct SignatureCase: Encodable {
    private static let services = ["s3", "execute-api", "es", "sts"]
    private static let methods: [HTTPRequest.Method] = [.get, .head, .post, .put, .delete, .patch]

    let number: Int
    let method: String
    let url: String
    let fields: [[String]]
    let body: Data
    let accessKey = "AKIDEXAMPLE"
    let secretKey: String
    let sessionToken: String?
    let region: String
    let service: String
    let signsContent: Bool
    let expires: Int
    let date: String
    let authorization: String
    let presigned: String

    init(_ hostile: inout Hostile, number: Int) async throws {
        let credentials = AWSCredentials(
            accessKey: accessKey,
            secretKey: "wJalr+\(hostile.number(below: 1_000_000))/EXAMPLE",
            sessionToken: hostile.isOne(of: 3) ? "FwoGZXIvYXdzE\(hostile.number(below: 1000))//+=" : nil
        )
        let service = Self.services[hostile.number(below: Self.services.count)]
        let region = ["eu-west-1", "us-east-1", "ap-south-2"][hostile.number(below: 3)]
        var signer = AWSSignatureV4(credentials, region: region, service: service)
        signer.signsContent = !hostile.isOne(of: 4)
        let content = hostile.isOne(of: 3) ? "" : hostile.text()
        let request = try Self.request(&hostile, content: content)

        let transport = MockTransport { _ in MockResponse() }
        var configuration = Session.Configuration()
        configuration.fields = [:]
        configuration.contentDecoding = .off
        configuration.networkMiddleware = [RequestSigning(signer) { _ in true }]
        let session = Session(configuration: configuration, transport: transport)
        try await session.send(request).validate()
        let signed = try #require(transport.requests.last)
        let expires = 1 + hostile.number(below: 604_800)
        let date = try #require(signed.fields[HTTPField.Name(checking: "X-Amz-Date")])
        let moment = try Date.ISO8601FormatStyle().dateSeparator(.omitted).timeSeparator(.omitted).parse(date)
        let url = try await signer.presigned(
            request.target,
            method: request.method,
            for: .seconds(expires),
            since: moment
        )

        self.number = number
        self.method = request.method.rawValue
        self.url = request.target.uri
        self.fields = request.fields.map { [$0.name.rawName, $0.value] }
        self.body = Data(request.body.isNone ? "".utf8 : content.utf8)
        self.secretKey = credentials.secretKey
        self.sessionToken = credentials.sessionToken
        self.region = region
        self.service = service
        self.signsContent = signer.signsContent
        self.expires = expires
        self.date = date
        self.authorization = try #require(signed.fields[.authorization])
        self.presigned = try #require(url.uri.components(separatedBy: "X-Amz-Signature=").last)
    }

    /// Returns a request whose path and query are encoded as botocore encodes them, so that both sign the same text.
    private static func request(_ hostile: inout Hostile, content: String) throws -> RequestMessage {
        let method = methods[hostile.number(below: methods.count)]
        let scheme = hostile.isOne(of: 5) ? "http" : "https"
        let port = hostile.isOne(of: 4) ? ":8443" : ""
        let segments = (0..<hostile.number(below: 5)).map { _ in
            let text = hostile.text()
            return hostile.isOne(of: 6) ? [".", "..", ""][hostile.number(below: 3)] : String(text.prefix(60))
        }
        let path = segments.map(encoded).joined(separator: "/")
        // botocore puts each name only once into a URL that it signs.
        let query = (0..<hostile.number(below: 5)).map { "\($0)\(encoded(String(hostile.text().prefix(60))))" }
            .map { "\($0)=\(encoded(String(hostile.text().prefix(60))))" }
        let uri =
            "\(scheme)://service.example.com\(port)/\(path)\(query.isEmpty ? "" : "?")\(query.joined(separator: "&"))"
        var fields: HTTPFields = [.contentType: "application/json;   charset=utf-8", .userAgent: "not signed"]
        if hostile.isOne(of: 5) {
            try fields.append(checking: "Host", "other.example.com:\(hostile.number(below: 9000))")
        }
        for number in 0..<hostile.number(below: 4) {
            let value = String(hostile.text().unicodeScalars.filter { (0x20..<0x7F).contains($0.value) })
            try fields.append(checking: hostile.isOne(of: 3) ? "X-Amz-Meta-A" : "X-Amz-Meta-\(number)", value)
        }
        let hasBody = ![.get, .head].contains(method) && !content.isEmpty
        let body = hasBody ? RequestBody.string(content) : .none
        return try RequestMessage(TargetURI(uri), method: method, fields: RequestFields(fields), body: body)
    }

    private static func encoded(_ text: String) -> String {
        let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
        )
        return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }
}
