internal import HTTPTypes
internal import Testing

@testable internal import ApusTransfers

@Suite struct UploadFieldsTests {
    @Test func readsTheFields() {
        let fields: HTTPFields = [
            .uploadOffset: "5", .uploadLength: "10", .uploadComplete: "?0", .uploadDraftInteropVersion: "6",
            .uploadLimit: "max-size=10",
        ]
        #expect(UploadFields.offset(in: fields) == 5)
        #expect(UploadFields.length(in: fields) == 10)
        #expect(UploadFields.isComplete(in: fields) == false)
        #expect(UploadFields.version(in: fields) == 6)
        #expect(UploadFields.limits(in: fields) == UploadLimits("max-size=10"))
    }

    @Test func ignoresMissingAndInvalidFields() {
        let invalid: HTTPFields = [
            .uploadOffset: "-5", .uploadLength: "a", .uploadComplete: "1", .uploadLimit: "max-size",
        ]
        for fields in [HTTPFields(), invalid] {
            #expect(UploadFields.offset(in: fields) == nil)
            #expect(UploadFields.length(in: fields) == nil)
            #expect(UploadFields.isComplete(in: fields) == nil)
            #expect(UploadFields.limits(in: fields) == nil)
        }
    }

    /// Two lines are no item, even if they are equal.
    @Test func ignoresRepeatedFields() {
        var fields = HTTPFields()
        for _ in 0..<2 { fields.append(HTTPField(name: .uploadOffset, value: "5")) }
        #expect(UploadFields.offset(in: fields) == nil)
    }

    @Test func keepsCredentialsAndDropsTheDescriptionOfTheContent() throws {
        var fields: HTTPFields = [
            .authorization: "Bearer x", .accept: "text/html", .contentType: "video/mp4", .contentLength: "5",
            .contentEncoding: "gzip", .contentDisposition: "inline", .expect: "100-continue", .ifNoneMatch: "*",
            .ifModifiedSince: "x", .range: "bytes=0-1", .uploadComplete: "?1", .uploadDraftInteropVersion: "6",
        ]
        fields[try #require(HTTPField.Name("X-Tag"))] = "blue"
        fields[try #require(HTTPField.Name("Idempotency-Key"))] = "k"
        fields[try #require(HTTPField.Name("Repr-Digest"))] = "sha-256=:aGk=:"
        #expect(fields.forUploadResource.map(\.name.canonicalName) == ["authorization", "accept", "x-tag"])
    }
}
