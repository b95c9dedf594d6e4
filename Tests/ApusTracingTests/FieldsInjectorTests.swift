internal import HTTPTypes
internal import Testing

@testable internal import ApusTracing

@Suite struct FieldsInjectorTests {
    @Test func replacesAnExistingField() {
        var fields: HTTPFields = [.accept: "*/*"]
        FieldsInjector().inject("00-1-2-01", forKey: "traceparent", into: &fields)
        FieldsInjector().inject("00-3-4-01", forKey: "traceparent", into: &fields)
        #expect(fields.count == 2 && fields.last?.value == "00-3-4-01")
    }

    @Test(arguments: [("trace parent", "1"), ("", "1"), ("traceparent", "1\r\nHost: i"), ("traceparent", "1\u{0}")])
    func omitsInvalidFields(name: String, value: String) {
        var fields: HTTPFields = [.accept: "*/*"]
        FieldsInjector().inject(value, forKey: name, into: &fields)
        #expect(fields == [.accept: "*/*"])
    }
}
