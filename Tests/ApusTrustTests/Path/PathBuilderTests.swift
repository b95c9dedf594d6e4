internal import ApusCore
internal import Foundation
internal import Testing
internal import X509

@testable internal import ApusTrust

/// The search for a path among several certificates.
@Suite struct PathBuilderTests {
    private let root = TestAuthority("Root")
    private let other = TestAuthority("Other")
    private let middle = TestAuthority("Middle")

    /// Checks the path by the certificates above that of the server.
    private func expect(
        _ result: Result<[ParsedCertificate], CertificateRejection>,
        _ authorities: [ParsedCertificate],
        _ location: SourceLocation = #_sourceLocation
    ) {
        switch result {
        case .success(let path): #expect(Array(path.dropFirst()) == authorities, sourceLocation: location)
        case .failure(let rejection): Issue.record("\(rejection)", sourceLocation: location)
        }
    }

    @Test func findsAPathWithoutIntermediates() throws {
        let leaf = try root.server()
        let certificate = try root.root()
        expect(try builtPath(leaf, [], [certificate]), [certificate])
        #expect(try builtPath(leaf, [], [certificate], host: nil).rejection == nil)
    }

    /// The others of the server have any order, and may be unrelated, repeated or roots.
    @Test func findsAPathInAnyOrder() throws {
        let upper = TestAuthority("Upper")
        let leaf = try middle.server()
        let (low, high, top) = (try upper.authority(middle), try root.authority(upper), try root.root())
        let junk = [try other.root(), try other.authority(TestAuthority("Unrelated"))]
        let orders: [[ParsedCertificate]] = [
            [low, high], [high, low], [top, high, low], [low, top, high], [leaf, low, leaf, high],
            junk + [high, low], [high] + junk + [low, low, high],
        ]
        for presented in orders { expect(try builtPath(leaf, presented, [top]), [low, high, top]) }
        for presented in [[], [high], junk, [high, top]] {
            #expect(try builtPath(leaf, presented, [top]).rejection == .untrustedAuthority(issuer: "Middle"))
        }
        #expect(try builtPath(leaf, [low, high, top], junk).rejection == .untrustedAuthority(issuer: "Middle"))
    }

    // MARK: Roots

    @Test func endsAtAnyCertificateOfTheRoots() throws {
        let leaf = try middle.server()
        let certificate = try root.authority(middle)
        expect(try builtPath(leaf, [], [certificate]), [certificate])
        expect(try builtPath(leaf, [certificate, root.root()], [certificate]), [certificate])
        expect(try builtPath(leaf, [certificate], [certificate, root.root()]), [certificate])
    }

    @Test func acceptsTheServerAsRoot() throws {
        for leaf in [try root.server(), try root.server { $0.subject = root.name }] {
            expect(try builtPath(leaf, [], [leaf]), [])
            #expect(try builtPath(leaf, [], [leaf], host: "b.example").rejection == .wrongHost(names: ["a.example"]))
        }
        let client = try root.server { try $0.setPurposes([.clientAuth]) }
        #expect(try builtPath(client, [], [client]).rejection == .notForServers)
        let old = try root.server { $0.validTo = -1 }
        #expect(try builtPath(old, [], [old]).rejection == .expired(on: old.notValidAfter))
    }

    @Test func rejectsASelfSignedServer() throws {
        let key = try root.publicKeyInfo()
        let leaf = try root.server {
            $0.subject = root.name
            $0.publicKeyInfo = key
        }
        let renewed = try root.server {
            $0.subject = root.name
            $0.publicKeyInfo = key
            $0.serialNumber = 2
        }
        let namesake = try TestAuthority("Root").root()
        for roots in [[], [try other.root()], [renewed], [namesake]] {
            #expect(try builtPath(leaf, [leaf], roots).rejection == .selfSigned)
        }
    }

    /// The name and the key of a renewed root are those of the old one.
    @Test func usesTheRenewedRoot() throws {
        let leaf = try root.server()
        let old = try root.root { $0.validTo = -1 }
        let new = try root.root { $0.serialNumber = 2 }
        let later = try root.root { $0.validFrom = 1 }
        for roots in [[old, new], [new, old], [later, old, new]] { expect(try builtPath(leaf, [], roots), [new]) }
        expect(try builtPath(leaf, [old], [new]), [new])
        #expect(
            try builtPath(leaf, [new], [old]).rejection
                == .authority(subject: "CN=Root", .expired(on: old.notValidAfter))
        )
    }

    @Test func triesAllRootsOfAName() throws {
        let leaf = try root.server()
        let certificate = try root.root()
        let namesakes = [try TestAuthority("Root").root(), try TestAuthority("Root").root()]
        expect(try builtPath(leaf, [], namesakes + [certificate]), [certificate])
        #expect(try builtPath(leaf, [], namesakes).rejection == .invalidSignature(issuer: "CN=Root"))
    }

    // MARK: Backtracking

    @Test func triesAllIssuersOfAName() throws {
        let leaf = try middle.server()
        let top = try root.root()
        let right = try root.authority(middle)
        let wrong = try root.authority(TestAuthority("Middle"))
        for presented in [[wrong, right], [right, wrong], [wrong, wrong, right]] {
            expect(try builtPath(leaf, presented, [top]), [right, top])
        }
        #expect(try builtPath(leaf, [wrong], [top]).rejection == .invalidSignature(issuer: "CN=Middle"))
    }

    @Test func leavesADeadEnd() throws {
        let leaf = try middle.server()
        let (dead, live) = (try other.authority(middle), try root.authority(middle) { $0.serialNumber = 2 })
        let top = try root.root()
        expect(try builtPath(leaf, [dead, other.root(), live], [top]), [live, top])
        expect(try builtPath(leaf, [live, dead, other.root()], [top]), [live, top])
    }

    /// As in 2020, when an expired root had also signed the key of a valid one.
    @Test func leavesAnExpiredCrossSign() throws {
        let leaf = try middle.server()
        let low = try root.authority(middle)
        let cross = try other.authority(root)
        let expired = try other.root { $0.validTo = -1 }
        let top = try root.root()
        for presented in [[low, cross], [cross, low], [low, cross, expired], [low, cross, expired, top]] {
            expect(try builtPath(leaf, presented, [expired, top]), [low, top])
            expect(try builtPath(leaf, presented, [top, expired]), [low, top])
        }
        #expect(
            try builtPath(leaf, [low, cross], [expired]).rejection
                == .authority(subject: "CN=Other", .expired(on: expired.notValidAfter))
        )
        let valid = try other.root()
        expect(try builtPath(leaf, [low, cross], [valid]), [low, cross, valid])
    }

    @Test func leavesAnIntermediateThatFailsItsChecks() throws {
        let leaf = try middle.server()
        let top = try root.root()
        let right = try root.authority(middle) { $0.serialNumber = 2 }
        let flawed = [
            try root.authority(middle) { $0.validTo = -1 }, try root.authority(middle) { $0.extensions = [] },
            try root.authority(middle) { try $0.setPurposes([.clientAuth]) },
            try root.authority(middle) { try $0.setConstraints(permitted: [.dnsName("b.example")]) },
            try root.authority(middle) { $0.isSignatureBroken = true },
        ]
        for certificate in flawed { expect(try builtPath(leaf, [certificate, right], [top]), [right, top]) }
        expect(try builtPath(leaf, flawed + [right], [top]), [right, top])
    }

    @Test func endsInALoop() throws {
        let leaf = try middle.server()
        let (one, two) = (try other.authority(middle), try middle.authority(other))
        #expect(try builtPath(leaf, [one, two], [root.root()]).rejection == .untrustedAuthority(issuer: "Middle"))
        let (exit, top) = (try root.authority(other), try root.root())
        expect(try builtPath(leaf, [one, two, exit], [top]), [one, exit, top])
    }

    /// The rejection is that of the path that got furthest.
    @Test func reportsTheFurthestPath() throws {
        let leaf = try middle.server()
        let expired = try root.authority(middle) { $0.validTo = -1 }
        let dead = try other.authority(middle)
        let rejection = CertificateRejection.authority(subject: "CN=Middle", .expired(on: expired.notValidAfter))
        #expect(try builtPath(leaf, [dead, expired], [root.root()]).rejection == rejection)
        #expect(try builtPath(leaf, [expired, dead, other.root()], [root.root()]).rejection == rejection)
        #expect(try builtPath(leaf, [expired], []).rejection == .untrustedAuthority(issuer: "Middle"))
    }

    // MARK: Lengths

    @Test(
        arguments: [
            (0, 0, true), (0, 1, false), (1, 1, true), (1, 2, false), (2, 2, true), (nil, 5, true),
        ] as [(Int?, Int, Bool)]
    )
    func limitsTheNumberOfAuthorities(limit: Int?, count: Int, isValid: Bool) throws {
        let (leaf, presented) = try chain(count)
        let result = try builtPath(leaf, presented, [root.root { try $0.setPathLength(limit) }])
        #expect(result.rejection == (isValid ? nil : .chainTooLong))
    }

    /// An authority that signs its next key is not counted, RFC 5280 §4.2.1.9.
    @Test func countsNoSelfIssuedAuthority() throws {
        let next = TestAuthority("Root")
        let presented = [try root.authority(next)]
        let top = try root.root { try $0.setPathLength(0) }
        #expect(try builtPath(next.server(), presented, [top]).rejection == nil)
    }

    @Test(arguments: [(8, true), (9, false)])
    func limitsTheLength(authorities: Int, isValid: Bool) throws {
        let (leaf, presented) = try chain(authorities)
        #expect(try builtPath(leaf, presented, [root.root()]).rejection == (isValid ? nil : .chainTooLong))
    }

    /// Returns a server's certificate below a number of authorities.
    private func chain(_ count: Int) throws -> (leaf: ParsedCertificate, presented: [ParsedCertificate]) {
        var (issuer, presented) = (root, [ParsedCertificate]())
        for number in 0..<count {
            let authority = TestAuthority("Authority \(number)")
            presented.append(try issuer.authority(authority))
            issuer = authority
        }
        return (try issuer.server(), presented)
    }

    @Test(arguments: [(63, true), (64, false), (500, false)])
    func considersALimitedNumberOfCertificates(junk: Int, isFound: Bool) throws {
        let certificate = try other.root()
        let authority = try root.authority(middle)
        let presented = Array(repeating: certificate, count: junk) + [authority]
        let result = try builtPath(middle.server(), presented, [root.root()])
        #expect(result.rejection == (isFound ? nil : .untrustedAuthority(issuer: "Middle")))
    }

    /// Authorities that have all signed one another have a factorial number of paths.
    @Test func limitsTheSearch() throws {
        let authorities = (0..<8).map { TestAuthority("Authority \($0)") }
        let mesh = try self.mesh(authorities)
        let (leaf, top) = (try authorities[0].server(), try root.root())
        var search = PathSearch(
            presented: mesh,
            anchors: TestAnchors([top]),
            date: TestAuthority.moment,
            limits: PathLimits()
        )
        let result = try search.run(from: leaf, flaw: nil)
        #expect(result.rejection == .other("its chain has too many branches"))
        #expect(search.signatureChecks <= PathLimits().signatureChecks)
        #expect(search.steps <= PathLimits().steps)
    }

    @Test func findsTheWayOutOfAMesh() throws {
        let authorities = (0..<7).map { TestAuthority("Authority \($0)") }
        let presented = try mesh(authorities) + [root.authority(authorities[6])]
        #expect(try builtPath(authorities[0].server(), presented, [root.root()]).rejection == nil)
    }

    private func mesh(_ authorities: [TestAuthority]) throws -> [ParsedCertificate] {
        try authorities.flatMap { issuer in
            try authorities.filter { $0.name != issuer.name }.map { try issuer.authority($0) }
        }
    }

    @Test func stopsAtTheLimitOfSignatures() throws {
        var limits = PathLimits()
        limits.signatureChecks = 1
        let presented = [try root.authority(middle)]
        let result = try builtPath(middle.server(), presented, [root.root()], limits: limits)
        #expect(result.rejection == .other("its chain has too many branches"))
        limits.signatureChecks = 2
        #expect(try builtPath(middle.server(), presented, [root.root()], limits: limits).rejection == nil)
    }

    /// Of two candidates the one with the wanted key identifier is tried first, and the other one too.
    @Test func prefersTheKeyIdentifier() throws {
        let leaf = try middle.server {
            $0.set(try Certificate.Extension(AuthorityKeyIdentifier(keyIdentifier: [1, 2]), critical: false))
        }
        let wrong = try TestAuthority("Other").authority(middle) {
            $0.set(try Certificate.Extension(SubjectKeyIdentifier(keyIdentifier: [3]), critical: false))
        }
        let right = try root.authority(middle) {
            $0.set(try Certificate.Extension(SubjectKeyIdentifier(keyIdentifier: [1, 2]), critical: false))
        }
        var limits = PathLimits()
        limits.steps = 2
        let top = try root.root()
        expect(try builtPath(leaf, [wrong, right], [top], limits: limits), [right, top])
        let unnamed = try root.authority(middle) {
            $0.set(try Certificate.Extension(SubjectKeyIdentifier(keyIdentifier: [4]), critical: false))
        }
        expect(try builtPath(leaf, [unnamed], [top]), [unnamed, top])
    }
}
