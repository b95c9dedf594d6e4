internal import ApusTestSupport

@testable internal import ApusCore

extension PartialFile {
    /// Appends chunks, and then throws the failure, if there is one.
    @discardableResult
    func write(_ chunks: [String], failure: ApusError? = nil) async throws(ApusError) -> Int64 {
        let body = ScriptedBody(chunks, failure: failure)
        return try await append { () async throws(ApusError) in try await body.next() }
    }
}

extension PartialFileRecord {
    /// A record with an entity tag of that number.
    static func numbered(_ number: Int) -> PartialFileRecord {
        PartialFileRecord(url: "http://h/file", validator: .entityTag("\"\(number)\""), total: 6)
    }
}
