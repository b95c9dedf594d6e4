internal import Testing

/// Checks the path builder with the chains that `Scripts/certificate-matrix` also shows to Go and OpenSSL.
@Suite(.timeLimit(.minutes(5)), .enabled(if: CertificateMatrix.isAvailable)) struct CertificateMatrixTests {
    @Test(arguments: CertificateMatrix.groups) func hasTheExpectedVerdicts(group: String) async throws {
        let cases = try await CertificateMatrix.cases.value.filter { $0.group == group }
        #expect(!cases.isEmpty)
        for one in cases {
            let verdict = try CertificateMatrix.verdict(on: one)
            #expect(verdict == one.expected, "\(one.name)")
        }
    }

    @Test func checksAllGroups() async throws {
        let cases = try await CertificateMatrix.cases.value
        #expect(Set(cases.map(\.group)) == Set(CertificateMatrix.groups))
        #expect(cases.count >= 600)
    }
}
