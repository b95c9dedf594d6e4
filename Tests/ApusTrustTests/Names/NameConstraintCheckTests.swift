internal import ApusCore
internal import SwiftASN1
internal import Testing
internal import X509

@testable internal import ApusTrust

@Suite struct NameConstraintCheckTests {
    /// A constraint, a name, and whether the constraint covers it.
    typealias Row = (constraint: GeneralName, name: GeneralName, isCovered: Bool)

    private static func address(_ bytes: UInt8...) -> GeneralName {
        .ipAddress(ASN1OctetString(contentBytes: bytes[...]))
    }

    private static func sixteen(_ begin: [UInt8], fill: UInt8 = 0) -> [UInt8] {
        begin + [UInt8](repeating: fill, count: 16 - begin.count)
    }

    private static func range(_ address: [UInt8], _ mask: [UInt8]) -> GeneralName {
        .ipAddress(ASN1OctetString(contentBytes: (address + mask)[...]))
    }

    private static func directory(_ texts: String...) -> GeneralName {
        let types: [ASN1ObjectIdentifier] = [[2, 5, 4, 6], [2, 5, 4, 10], [2, 5, 4, 3]]
        return .directoryName(
            DistinguishedName(
                zip(types, texts).map { RelativeDistinguishedName(.init(type: $0, utf8String: $1)) }
            )
        )
    }

    static let hosts: [Row] = [
        (.dnsName("a.example"), .dnsName("a.example"), true),
        (.dnsName("a.example"), .dnsName("A.Example"), true),
        (.dnsName("A.example"), .dnsName("b.a.example"), true),
        (.dnsName("a.example"), .dnsName("c.b.a.example"), true),
        (.dnsName("a.example"), .dnsName("*.a.example"), true),
        (.dnsName("a.example"), .dnsName("ba.example"), false),
        (.dnsName("a.example"), .dnsName("example"), false),
        (.dnsName("a.example"), .dnsName("a.example.b.example"), false),
        (.dnsName("a.example."), .dnsName("a.example"), true),
        (.dnsName(".a.example"), .dnsName("b.a.example"), true),
        (.dnsName(".a.example"), .dnsName("a.example"), false),
        (.dnsName(".a.example"), .dnsName("ba.example"), false),
        (.dnsName(""), .dnsName("a.example"), true),
    ]

    static let mailboxes: [Row] = [
        (.rfc822Name("a@b.example"), .rfc822Name("a@B.example"), true),
        (.rfc822Name("a@b.example"), .rfc822Name("A@b.example"), false),
        (.rfc822Name("a@b.example"), .rfc822Name("a@c.b.example"), false),
        (.rfc822Name("b.example"), .rfc822Name("a@b.example"), true),
        (.rfc822Name("b.example"), .rfc822Name("a@c.b.example"), false),
        (.rfc822Name("b.example"), .rfc822Name("\"x@b.example\"@c.example"), false),
        (.rfc822Name(".b.example"), .rfc822Name("a@c.b.example"), true),
        (.rfc822Name(".b.example"), .rfc822Name("a@b.example"), false),
    ]

    static let resources: [Row] = [
        (.uniformResourceIdentifier("a.example"), .uniformResourceIdentifier("https://A.example/x"), true),
        (.uniformResourceIdentifier("a.example"), .uniformResourceIdentifier("https://u:p@a.example:443?x"), true),
        (.uniformResourceIdentifier("a.example"), .uniformResourceIdentifier("https://b.a.example"), false),
        (.uniformResourceIdentifier(".a.example"), .uniformResourceIdentifier("https://b.a.example"), true),
        (.uniformResourceIdentifier(".a.example"), .uniformResourceIdentifier("https://a.example"), false),
        (.uniformResourceIdentifier("a.example"), .uniformResourceIdentifier("https://b.example/@a.example"), false),
        (.uniformResourceIdentifier("a.example"), .uniformResourceIdentifier("https://b.example#a.example"), false),
    ]

    static let addresses: [Row] = [
        (range([10, 0, 0, 0], [255, 0, 0, 0]), address(10, 1, 2, 3), true),
        (range([10, 0, 0, 0], [255, 0, 0, 0]), address(11, 1, 2, 3), false),
        (range([10, 1, 2, 3], [255, 255, 255, 255]), address(10, 1, 2, 3), true),
        (range([10, 1, 2, 3], [255, 255, 255, 255]), address(10, 1, 2, 4), false),
        (range([10, 0, 0, 128], [255, 255, 255, 128]), address(10, 0, 0, 127), false),
        (range([0, 0, 0, 0], [0, 0, 0, 0]), address(1, 2, 3, 4), true),
        (range(sixteen([0xFD]), sixteen([0xFF])), range(sixteen([0xFD, 1]), []), true),
        (range(sixteen([0xFD]), sixteen([0xFF])), range(sixteen([0xFE]), []), false),
        (range(sixteen([]), sixteen([])), address(1, 2, 3, 4), false),
        (range([0, 0, 0, 0], [0, 0, 0, 0]), range(sixteen([]), []), false),
    ]

    static let directories: [Row] = [
        (directory("DE", "Example"), directory("DE", "Example", "Server"), true),
        (directory("DE", "Example"), directory("de", "  EXAMPLE "), true),
        (directory("DE", "Example"), directory("DE"), false),
        (directory("DE", "Example"), directory("DE", "Other", "Server"), false),
        (directory(), directory("DE"), true),
    ]

    static let tables: [Row] = [hosts, mailboxes, resources, addresses, directories].flatMap { $0 }

    @Test(arguments: tables.indices)
    func comparesANameWithAConstraint(row: Int) throws {
        let (constraint, name, isCovered) = Self.tables[row]
        #expect(try isAccepted([name], permitted: [constraint]) == isCovered, "\(constraint) \(name)")
        #expect(try isAccepted([name], excluded: [constraint]) != isCovered, "\(constraint) \(name)")
        #expect(try !isAccepted([name], permitted: [constraint], excluded: [constraint]), "\(constraint) \(name)")
    }

    /// Names that can't be compared are refused by any constraint of their type.
    @Test(
        arguments: [
            (.uniformResourceIdentifier("a.example"), .uniformResourceIdentifier("urn:a.example")),
            (.uniformResourceIdentifier("a.example"), .uniformResourceIdentifier("https://127.0.0.1/")),
            (.uniformResourceIdentifier("a.example"), .uniformResourceIdentifier("https://[::1]/")),
            (.uniformResourceIdentifier("a.example"), .uniformResourceIdentifier("https://b.example\\@a.example/")),
            (.uniformResourceIdentifier("a.example"), .uniformResourceIdentifier("https://")),
            (.rfc822Name("a.example"), .rfc822Name("a.example")),
        ] as [(GeneralName, GeneralName)]
    )
    func refusesANameOfAnotherForm(constraint: GeneralName, name: GeneralName) throws {
        #expect(try !isAccepted([name], permitted: [constraint]))
        #expect(try !isAccepted([name], excluded: [constraint]))
        #expect(try isAccepted([name], permitted: [.dnsName("a.example")]))
    }

    /// A wildcard stands for the excluded name.
    @Test func comparesWildcardsWithExclusions() throws {
        #expect(try !isAccepted([.dnsName("*.example.org")], excluded: [.dnsName("a.example.org")]))
        #expect(try isAccepted([.dnsName("*.example.org")], excluded: [.dnsName("b.a.example.org")]))
        #expect(try !isAccepted([.dnsName("*.example.org")], permitted: [.dnsName("a.example.org")]))
    }

    @Test func requiresOneOfThePermittedNamesOfAType() throws {
        let permitted = [GeneralName.dnsName("a.example"), .dnsName("b.example"), .rfc822Name("c.example")]
        #expect(try isAccepted([.dnsName("a.example"), .dnsName("x.b.example")], permitted: permitted))
        #expect(try !isAccepted([.dnsName("a.example"), .dnsName("c.example")], permitted: permitted))
        #expect(try isAccepted([.uniformResourceIdentifier("https://d.example")], permitted: permitted))
        #expect(try isAccepted([], permitted: permitted))
    }

    /// The subject is a directory name, and its email addresses count if there are no others.
    @Test func comparesTheSubject() throws {
        let mail = RelativeDistinguishedName(.init(type: [1, 2, 840, 113549, 1, 9, 1], utf8String: "a@b.example"))
        let check = { (names: [GeneralName], permitted: [GeneralName]) in
            try rejection(names, permitted: permitted) { $0.subject = [mail] }
        }
        #expect(try check([], [.rfc822Name("b.example")]) == nil)
        #expect(try check([], [.rfc822Name("c.example")]) == .nameNotPermitted("a@b.example"))
        #expect(try check([.rfc822Name("a@c.example")], [.rfc822Name("c.example")]) == nil)
        #expect(
            try check([], [Self.directory("DE")]) == .nameNotPermitted("emailAddress=a@b.example")
        )
    }

    @Test func refusesAnUnsupportedNameIfTheConstraintIsCritical() throws {
        let name = GeneralName.registeredID([1, 2, 3])
        #expect(try !isAccepted([name], excluded: [name]))
        #expect(try !isAccepted([name], permitted: [name]))
        #expect(try isAccepted([name], excluded: [name], isCritical: false))
        #expect(try isAccepted([.dnsName("a.example")], excluded: [name]))
        #expect(try !isAccepted([.dnsName("a.example")], excluded: [.dnsName("a.example")], isCritical: false))
    }

    @Test func limitsTheComparisons() throws {
        let names = (0..<10).map { GeneralName.dnsName("h\($0).example") }
        #expect(try isAccepted(names, permitted: [.dnsName("example"), .dnsName("b.example")], comparisons: 20))
        #expect(
            try rejection(names, permitted: [.dnsName("example"), .dnsName("b.example")], comparisons: 19)
                == .other("it has too many names to compare with name constraints")
        )
    }

    @Test func refusesARangeOfAnotherLength() {
        #expect(throws: CertificateRejection.self) {
            try self.isAccepted([], permitted: [Self.range([1, 2, 3, 4], [255])])
        }
    }

    // MARK: Paths

    /// The constraints of every authority apply, also those of the root.
    @Test func obeysAllAuthorities() throws {
        let (root, middle) = (TestAuthority("Root"), TestAuthority("Middle"))
        let leaf = try middle.server { try $0.setNames([.dnsName("a.example"), .dnsName("b.example")]) }
        let refused = CertificateRejection.nameNotPermitted("b.example")
        let change: (inout TestTemplate) throws -> Void = { try $0.setConstraints(excluded: [.dnsName("b.example")]) }
        let (low, top) = (try root.authority(middle), try root.root())
        #expect(try builtPath(leaf, [low], [top]).rejection == nil)
        #expect(try builtPath(leaf, [low], [root.root(change)]).rejection == refused)
        #expect(try builtPath(leaf, [root.authority(middle, change)], [top]).rejection == refused)
    }

    /// RFC 5280 §6.1.3: a self-issued authority is exempt, and the certificate of the server is not.
    @Test func comparesTheNamesOfAuthorities() throws {
        let (root, next, middle) = (TestAuthority("Root"), TestAuthority("Root"), TestAuthority("Middle"))
        let constrained = try root.root {
            let excluded = [Self.directoryOfName("Root"), Self.directoryOfName("Middle")]
            try $0.setConstraints(excluded: excluded)
        }
        #expect(try builtPath(next.server(), [root.authority(next)], [constrained]).rejection == nil)
        #expect(
            try builtPath(middle.server(), [root.authority(middle)], [constrained]).rejection
                == .authority(subject: "CN=Middle", .nameNotPermitted("CN=Middle"))
        )
    }

    private static func directoryOfName(_ commonName: String) -> GeneralName {
        .directoryName(DistinguishedName(TestAuthority.name(commonName)))
    }

    // MARK: Support

    private func isAccepted(
        _ names: [GeneralName],
        permitted: [GeneralName] = [],
        excluded: [GeneralName] = [],
        isCritical: Bool = true,
        comparisons: Int = 1000
    ) throws -> Bool {
        try rejection(
            names,
            permitted: permitted,
            excluded: excluded,
            isCritical: isCritical,
            comparisons: comparisons
        ) == nil
    }

    private func rejection(
        _ names: [GeneralName],
        permitted: [GeneralName] = [],
        excluded: [GeneralName] = [],
        isCritical: Bool = true,
        comparisons: Int = 1000,
        change: (inout TestTemplate) -> Void = { _ in }
    ) throws -> CertificateRejection? {
        let root = TestAuthority("Root")
        let authority = try root.root {
            try $0.setConstraints(permitted: permitted, excluded: excluded, isCritical: isCritical)
        }
        let leaf = try root.server {
            try $0.setNames(names)
            change(&$0)
        }
        var check = NameConstraintCheck(comparisons: comparisons)
        return check.flaw(of: leaf, by: authority)?.rejection
    }
}
