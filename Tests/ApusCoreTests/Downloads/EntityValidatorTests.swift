internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite struct EntityValidatorTests {
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    private static let later = "Sun, 06 Nov 1994 08:49:38 GMT"

    private func dates(_ modified: String, sent: String?) -> HTTPFields {
        var fields: HTTPFields = [.lastModified: modified]
        fields[.date] = sent
        return fields
    }

    private func tags(_ tags: String...) -> HTTPFields {
        var fields: HTTPFields = [:]
        fields[values: .eTag] = tags
        return fields
    }

    // MARK: Of a response

    @Test(arguments: [#""a""#, "\"\"", #""W/""#, #""a\b,c""#, "\"ä\""])
    func isAStrongEntityTag(tag: String) {
        #expect(EntityValidator(in: tags(tag)) == .entityTag(tag))
        #expect(EntityValidator(in: tags(tag))?.text == tag)
    }

    @Test(arguments: [
        "a", "", "\"", "\"a", "a\"", "'a'", #"w/"a""#, #"W/a"#, "W/", #"W/"a"#, #""a"b""#, "\"a b\"", "\"a\tb\"", "*",
        "\"\u{FFFD}\"",
    ])
    func ignoresAnInvalidEntityTag(tag: String) {
        #expect(EntityValidator(in: tags(tag)) == nil)
        var fields = dates(Self.date, sent: Self.later)
        fields[.eTag] = tag
        #expect(EntityValidator(in: fields) == .lastModified(Self.date))
    }

    @Test func ignoresAnEntityTagThatIsNotUTF8() {
        var fields: HTTPFields = [:]
        fields.append(HTTPField(name: .eTag, value: [0x22, 0xE4, 0x22] as [UInt8]))
        #expect(EntityValidator(in: fields) == nil)
    }

    @Test func ignoresRepeatedEntityTags() {
        #expect(EntityValidator(in: tags("\"a\"", "\"b\"")) == nil)
        #expect(EntityValidator(in: tags("\"a\"", "\"a\"")) == nil)
    }

    @Test func prefersTheEntityTag() {
        var fields = dates(Self.date, sent: Self.later)
        fields[.eTag] = "\"a\""
        #expect(EntityValidator(in: fields) == .entityTag("\"a\""))
    }

    @Test func isNoneBesideAWeakEntityTag() {
        var fields = dates(Self.date, sent: Self.later)
        fields[.eTag] = #"W/"a""#
        #expect(EntityValidator(in: fields) == nil)
    }

    @Test func isADateThatIsOlderThanTheResponse() {
        let validator = EntityValidator(in: dates(Self.date, sent: Self.later))
        #expect(validator == .lastModified(Self.date))
        #expect(validator?.text == Self.date)
        #expect(EntityValidator(in: dates(Self.date, sent: Self.date)) == nil)
        #expect(EntityValidator(in: dates(Self.later, sent: Self.date)) == nil)
        #expect(EntityValidator(in: dates(Self.date, sent: nil)) == nil)
        #expect(EntityValidator(in: dates(Self.date, sent: "today")) == nil)
        #expect(EntityValidator(in: dates("yesterday", sent: Self.later)) == nil)
        #expect(EntityValidator(in: [.date: Self.later]) == nil)
        #expect(EntityValidator(in: [:]) == nil)
    }

    @Test func ignoresRepeatedDates() {
        var fields = dates(Self.date, sent: Self.later)
        fields[values: .date] = [Self.later, Self.later]
        #expect(EntityValidator(in: fields) == nil)
        fields = dates(Self.date, sent: Self.later)
        fields[values: .lastModified] = [Self.date, Self.date]
        #expect(EntityValidator(in: fields) == nil)
    }

    // MARK: Contradictions

    @Test func isContradictedByAnotherEntityTag() {
        let validator = EntityValidator.entityTag("\"a\"")
        #expect(!validator.isContradicted(by: tags("\"a\"")))
        #expect(!validator.isContradicted(by: [:]))
        #expect(!validator.isContradicted(by: dates(Self.date, sent: Self.later)))
        for tag in ["\"b\"", #"W/"a""#, "a", ""] {
            #expect(validator.isContradicted(by: tags(tag)), "\(tag)")
        }
        #expect(validator.isContradicted(by: tags("\"a\"", "\"b\"")))
    }

    @Test func isContradictedByAnotherDate() {
        let validator = EntityValidator.lastModified(Self.date)
        #expect(!validator.isContradicted(by: dates(Self.date, sent: Self.later)))
        #expect(!validator.isContradicted(by: dates(Self.date, sent: nil)))
        #expect(!validator.isContradicted(by: [:]))
        #expect(validator.isContradicted(by: dates(Self.later, sent: nil)))
        #expect(validator.isContradicted(by: dates("yesterday", sent: nil)))
        for tag in ["\"a\"", #"W/"a""#] {
            var fields = dates(Self.date, sent: Self.later)
            fields[.eTag] = tag
            #expect(validator.isContradicted(by: fields), "\(tag)")
        }
    }

    // MARK: Storing

    @Test func isStoredAsItsText() throws {
        let validators = [EntityValidator.entityTag("\"a\""), .lastModified(Self.date)]
        let stored = try JSONEncoder().encode(validators)
        #expect(try JSONDecoder().decode([String].self, from: stored) == ["\"a\"", Self.date])
        #expect(try JSONDecoder().decode([EntityValidator].self, from: stored) == validators)
    }

    @Test(arguments: [#"W/"a""#, "a", "", "yesterday", "\"a\r\nX: y\""])
    func rejectsAStoredTextThatIsNoValidator(text: String) throws {
        let stored = try JSONEncoder().encode([text])
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([EntityValidator].self, from: stored) }
    }
}
