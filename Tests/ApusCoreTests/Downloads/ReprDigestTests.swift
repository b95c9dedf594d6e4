internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite struct ReprDigestTests {
    private static let short = "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="
    private static let long =
        "3a81oZNherrMQXNJriBBMRLm+k6JqX6iCp7u5ktV05ohkpkqJ0/BqDa6PCOj/uu9RU1EI2Q86A4qmslPpUyknw=="
    private static let shortDigits = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    private static let longDigits =
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"

    /// Fields with the same digest.
    private static let valid: [String] = [
        "sha-256=:\(short):", "  sha-256=:\(short):  ", "md5=:AAAA:,sha-256=:\(short):", "*=::\t, \tsha-256=:\(short):",
        "sha-256=:\(short):;a;b=1;c=-2.5;d=?1;e=tok/en;*f=@1;  g=:AAAA:", #"sha-256=:\#(short):;a="\"b\\, c: d=""#,
        "sha-256=:\(short.dropLast()):", "sha-256=:AAAA:, sha-256=:\(short):",
    ]

    /// Fields without a supported algorithm.
    private static let unknown: [String] = [
        "", " ", "md5=:AAAA:", "sha=:\(short):", "sha-1=:AAAA:", "sha-384=:\(short):", "sha-2560=:\(short):",
    ]

    /// Fields that are ignored as a whole.
    private static let malformed: [String] = [
        "sha-256", "sha-256=", "sha-256=:", "sha-256=::", "sha-256=\(short)", "sha-256=:\(short)", "sha-256:\(short):",
        "sha-256 =:\(short):", "sha-256= :\(short):", "SHA-256=:\(short):", "sha-256=\"\(short)\"", "sha-256=:AAAA:",
        "sha-256=:\(long):", "sha-512=:\(short):", "sha-256=:\(short):,", "sha-256=:\(short):, ", ",sha-256=:\(short):",
        "sha-256=:\(short): sha-512=:\(long):", "sha-256=:\(short):;", "sha-256=:\(short):;=1",
        "sha-256=:\(short):;a=", "sha-256=:\(short):;a=\"", #"sha-256=:\#(short):;a="\x""#,
        "sha-256=:\(short):;a=\"ä\"",
        "sha-256=:\(short):;a=:A", "sha-256=:\(short):;a=()", "sha-256=:\(short):;a=\"\\", "sha-256=:\(short):, md5",
        "sha-256=:\(short):, md5=1", "sha-256=:\(short):, sha-512=:AAAA:", "sha-256=:\(short):, sha-256=:AAAA:",
        "sha-256=: \(short):", "sha-256=:\(short.dropLast(2)):", "sha-256=:-_\(short.dropFirst(2)):",
        "sha-256=:=\(short):", "sha-256=:\(short)=:", "=:\(short):", "ä=:\(short):", "sha-256=:ä:", "\u{0}",
    ]

    private func digits(_ text: String) -> [String]? { ReprDigest(text)?.digests.map(\.hexadecimal) }

    @Test func readsBothAlgorithms() throws {
        let digest = try #require(ReprDigest("sha-512=:\(Self.long):, sha-256=:\(Self.short):"))
        #expect(digest.digest(by: .sha256)?.hexadecimal == Self.shortDigits)
        #expect(digest.digest(by: .sha512)?.hexadecimal == Self.longDigits)
        #expect(digest.preferred?.algorithm == .sha256)
    }

    @Test func prefersTheOnlyOne() throws {
        let digest = try #require(ReprDigest("sha-512=:\(Self.long):"))
        #expect(digest.preferred?.hexadecimal == Self.longDigits)
        #expect(digest.digest(by: .sha256) == nil)
    }

    @Test func readsTheFieldsOfAResponse() throws {
        let name = try #require(HTTPField.Name("repr-digest"))
        var fields: HTTPFields = [:]
        fields[values: name] = ["unixsum=:MAo=:", "sha-256=:\(Self.short):"]
        #expect(ReprDigest(in: fields)?.digests.map(\.hexadecimal) == [Self.shortDigits])
        #expect(ReprDigest(in: [:]) == nil)
        #expect(ReprDigest(in: [.eTag: "sha-256=:\(Self.short):"]) == nil)
    }

    @Test(arguments: valid)
    func readsEachValidForm(text: String) {
        #expect(digits(text) == [Self.shortDigits])
    }

    @Test(arguments: unknown)
    func hasNoneWithoutAKnownAlgorithm(text: String) {
        #expect(digits(text) == nil)
    }

    @Test(arguments: malformed)
    func ignoresAMalformedField(text: String) {
        #expect(digits(text) == nil)
    }

    @Test func ignoresALongField() {
        let field = "sha-256=:\(Self.short):;a="
        let longest = field + String(repeating: "b", count: ReprDigest.limitBytes - field.utf8.count)
        #expect(longest.utf8.count == 4096)
        #expect(digits(longest) == [Self.shortDigits])
        #expect(digits(longest + "b") == nil)
    }

    @Test func neverTrapsOnMutatedFields() {
        let field = Array("sha-256=:\(Self.short):;a=\"b\";c=:AA:, x=:AAAA:".utf8)
        for index in field.indices {
            for byte in "\u{0} \",:;=\\*a".utf8 {
                var changed = field
                changed[index] = byte
                _ = ReprDigest(String(decoding: changed, as: UTF8.self))
            }
            _ = ReprDigest(String(decoding: field[..<index], as: UTF8.self))
            _ = ReprDigest(String(decoding: field[index...], as: UTF8.self))
        }
    }
}
