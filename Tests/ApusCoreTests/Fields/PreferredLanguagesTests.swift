internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite struct PreferredLanguagesTests {
    static let environments: [([String: String], [String])] = [
        ([:], []), (["LANG": ""], []), (["LANG": "C"], []), (["LANG": "POSIX"], []), (["LANG": "C.UTF-8"], []),
        (["LANG": "de_DE.UTF-8@euro"], ["de-DE"]), (["LANG": "de_DE@euro"], ["de-DE"]), (["LANG": "de"], ["de"]),
        (["LANG": "en_US.UTF-8"], ["en-US"]), (["LANG": "ast_ES.UTF-8"], ["ast-ES"]),
        (["LANG": "zh_Hant_TW"], ["zh-Hant-TW"]),
        // The first variable that is set counts. An empty one counts as unset.
        (["LC_ALL": "fr_FR", "LC_MESSAGES": "de_DE", "LANG": "en_US"], ["fr-FR"]),
        (["LC_MESSAGES": "de_DE", "LANG": "en_US"], ["de-DE"]),
        (["LC_ALL": "", "LC_MESSAGES": "", "LANG": "en_US"], ["en-US"]),
        (["LC_ALL": "C", "LC_MESSAGES": "de_DE", "LANG": "en_US"], []),
        (["LC_CTYPE": "de_DE"], []),
        // LANGUAGE is ignored without a locale.
        (["LANGUAGE": "de:fr"], []), (["LANGUAGE": "de:fr", "LANG": "C"], []),
        (["LANGUAGE": "de:fr", "LANG": "C.utf8"], []),
        (["LANGUAGE": "de:fr", "LANG": "POSIX"], []), (["LANGUAGE": "de:fr", "LC_ALL": "C", "LANG": "en_US"], []),
        (["LANGUAGE": "de_AT:fr:en_GB", "LANG": "en_US.UTF-8"], ["de-AT", "fr", "en-GB"]),
        (["LANGUAGE": "de", "LC_ALL": "en_US"], ["de"]), (["LANGUAGE": "", "LANG": "en_US"], ["en-US"]),
        (["LANGUAGE": ":::", "LANG": "en_US"], ["en-US"]), (["LANGUAGE": ":de::fr:", "LANG": "en_US"], ["de", "fr"]),
        (["LANGUAGE": "de:C:fr", "LANG": "en_US"], ["de"]),
        (["LANGUAGE": "de:de:DE:fr", "LANG": "en_US"], ["de", "fr"]),
        (["LANGUAGE": "aa:bb:cc:dd:ee:ff:gg", "LANG": "en"], ["aa", "bb", "cc", "dd", "ee", "ff"]),
        // Invalid locales.
        (["LANG": "de\r\nX: y"], []), (["LANG": "de_DE;q=2, fr"], []), (["LANG": "*"], []),
        (["LANG": "/usr/share/x"], []),
        (["LANG": "d"], []), (["LANG": "deutsch"], []), (["LANG": "12"], []), (["LANG": "de_"], []),
        (["LANG": "_DE"], []),
        (["LANG": "de__DE"], []), (["LANG": "de_\u{0}"], []), (["LANG": "dé"], []), (["LANG": "de_123456789"], []),
        (["LANG": ".UTF-8"], []), (["LANG": "@euro"], []), (["LANG": "日本"], []),
        (["LANG": String(repeating: "a", count: 100_000)], []),
        (["LANG": "de" + String(repeating: "_aaaaaaaa", count: 10)], []),
        (["LANGUAGE": "d\n:de:f r:fr", "LANG": "en"], ["de", "fr"]), (["LANGUAGE": "!:?", "LANG": "en"], ["en"]),
    ]

    /// Parity: AF-headers-accept-language
    @Test(arguments: environments)
    func readsThePOSIXEnvironment(environment: [String: String], tags: [String]) {
        #expect(PreferredLanguages(environment: environment).tags == tags)
    }

    /// Parity: AF-headers-accept-language, AFN-request-language
    @Test(arguments: [
        (["de"], "de;q=1.0"), (["en-US", "de"], "en-US;q=1.0, de;q=0.9"),
        (
            ["aa", "bb", "cc", "dd", "ee", "ff", "gg"],
            "aa;q=1.0, bb;q=0.9, cc;q=0.8, dd;q=0.7, ee;q=0.6, ff;q=0.5"
        ),
    ])
    func weightsLanguagesByTheirOrder(tags: [String], value: String) {
        #expect(PreferredLanguages(tags).fieldValue == value)
    }

    @Test func hasNoFieldWithoutALanguage() {
        #expect(PreferredLanguages([]).fieldValue == nil)
        #expect(PreferredLanguages(["*", ""]).fieldValue == nil)
    }

    /// Any environment gives a valid field or no field.
    @Test func neverCreatesAnInvalidField() throws {
        let letters = Array("deCP_.@:-;,= \r\n\t\u{0}é0*")
        var state: UInt64 = 11
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        func word() -> String { String((0..<random(12)).map { _ in letters[random(letters.count)] }) }
        var found = 0
        for _ in 0..<5000 {
            let languages = PreferredLanguages(environment: ["LANGUAGE": word(), "LC_ALL": word(), "LANG": word()])
            guard let value = languages.fieldValue else { continue }
            found += 1
            #expect(languages.tags.count <= 6)
            #expect(
                value.utf8.allSatisfy { $0 == 0x20 || "-;=,.".utf8.contains($0) || isLetterOrDigit($0) },
                "\(value)"
            )
        }
        #expect(found > 30)
    }

    private func isLetterOrDigit(_ byte: UInt8) -> Bool {
        Unicode.Scalar(byte).properties.isAlphabetic && byte < 0x80 || 0x30...0x39 ~= byte
    }
}
