import Apus
import Testing

@testable import ApusCommand

@Suite struct InvocationTests {
    private func read(_ arguments: String...) throws -> Invocation { try read(arguments) }

    private func read(_ arguments: [String]) throws -> Invocation {
        guard case .invocation(let invocation) = try Invocation.read(arguments) else {
            throw CommandFault("a text was shown instead")
        }
        return invocation
    }

    @Test func hasHTTPiesDefaults() throws {
        let invocation = try read("example.org")
        #expect(invocation.style == .json(isExplicit: false))
        #expect(invocation.download == nil)
        #expect(invocation.maxRedirects == 30)
        #expect(invocation.timeout == nil)
        #expect(!invocation.followsRedirects && !invocation.checksStatus && !invocation.isOffline)
        #expect(invocation.verification == .system)
        #expect(invocation.retryLimit == 0)
    }

    @Test(arguments: [["example.org"], ["PUT", ":8080/x", "a=b", "q==c", "X-A:-b"], ["example.org", "@-file"]])
    func ignoresTwoDashesAtTheEnd(arguments: [String]) throws {
        guard case .invocation(let plain) = try Invocation.read(arguments),
            case .invocation(let parsed) = try Invocation.read(arguments + ["--"])
        else {
            Issue.record("a text was shown instead")
            return
        }
        #expect(plain == parsed)
    }

    @Test func acceptsFlagsAnywhere() throws {
        let invocation = try read("-F", "POST", "example.org", "--timeout=2.5", "a=b", "-v", "c:=1", "--check-status")
        #expect(invocation.words.method == "POST")
        #expect(invocation.words.items.count == 2)
        #expect(invocation.timeout == .milliseconds(2500))
        #expect(invocation.followsRedirects && invocation.showsAll && invocation.checksStatus)
        #expect(invocation.verbosity == 1)
    }

    @Test func acceptsCombinedShortFlags() throws {
        let both = try read("-dFo", "file", "example.org")
        #expect(both.download == .file("file"))
        #expect(try read("-pHh", "example.org").printLetters == "Hh")
        #expect(try read("-p", "B", "example.org").printLetters == "B")
        #expect(try read("-vv", "example.org").verbosity == 2)
        #expect(try read("-ofile", "example.org").outputFile == "file")
        #expect(try read("-auser:pass", "example.org").auth == "user:pass")
    }

    @Test func usesTheLastFlagOfAKind() throws {
        #expect(try read("-h", "example.org").shortcut == .head)
        #expect(try read("-hb", "example.org").shortcut == .body)
        #expect(try read("-b", "-m", "example.org").shortcut == .metrics)
        #expect(try read("-f", "-j", "example.org").style == .json(isExplicit: true))
        #expect(try read("-j", "--form", "example.org").style == .form)
    }

    @Test func downloadsToAFileByDefault() throws {
        #expect(try read("-d", "example.org").download == .newFile)
        #expect(try read("-d", "-o", "-", "example.org").download == .standardOutput)
        #expect(try read("-d", "--output=x", "example.org").download == .file("x"))
        let plain = try read("-o", "x", "example.org")
        #expect(plain.download == nil && plain.outputFile == "x")
        #expect(try read("-o", "-", "example.org").outputFile == nil)
        let download = try read("-d", "example.org")
        #expect(download.followsRedirects && download.checksStatus)
        // There is no response to save.
        #expect(try read("-d", "--offline", "example.org").download == nil)
    }

    @Test func readsContinue() throws {
        #expect(try read("-dc", "example.org").continues)
        let named = try read("-c", "-o", "x", "example.org")
        #expect(named.continues && named.download == .file("x"))
        let reset = try read("-c", "--no-continue", "-o", "x", "example.org")
        #expect(!reset.continues && reset.download == nil && reset.outputFile == "x")
    }

    @Test func readsTransfers() throws {
        let plain = try read("example.org")
        #expect(plain.transfers == TransferArguments())
        #expect(try read("-d", "--segments", "16", "-o", "x", "example.org").transfers.segments == 16)
        let resumable = try read("--resumable", "--interop-version=8", "example.org", "a=b")
        #expect(resumable.transfers.isResumable && resumable.transfers.draftVersion == .v8)
        #expect(resumable.needsContentAgain)
        let added = try read("--queue", "jobs", "--retry=3", "-o", "x", "example.org/x")
        #expect(added.transfers.queue == "jobs" && added.isDownload && !added.readsInput && added.retryLimit == 3)
        guard case .queueRun(let run) = try Invocation.read(["--queue=jobs", "--run", "--timeout=5", "-F"]) else {
            Issue.record("another reading")
            return
        }
        #expect(run.transfers.runsQueue && run.followsRedirects && run.timeout == .seconds(5))
        let words = ["--queue=jobs", "--list", "--pause", "a", "--resume=b", "--remove", "c"]
        guard case .queueControl(let control) = try Invocation.read(words) else {
            Issue.record("another reading")
            return
        }
        #expect(control.transfers.listsQueue)
        #expect(control.transfers.changes.map { "\($0.action) \($0.id)" } == ["pause a", "resume b", "remove c"])
        let upload = try read("--queue=jobs", "--priority=-3", "--resumable", "PUT", "example.org/x", "@a")
        #expect(upload.queuesUpload && !upload.isDownload && upload.transfers.priority == -3)
        // Those of an alias can be cancelled.
        let cancelled = try read("--verify=no", "--no-verify", "--queue=jobs", "-d", "example.org/x")
        #expect(cancelled.transfers.queue == "jobs")
    }

    @Test(arguments: [
        ("1", 1), ("500k", 512_000), ("500K", 512_000), ("2M", 2 << 20), ("3g", 3 << 30),
        ("8589934591G", 8_589_934_591 << 30),
    ])
    func readsRates(value: String, expected: Int) throws {
        #expect(try read("--limit-rate", value, "example.org").rateLimit == expected)
    }

    @Test func readsChecksums() throws {
        let digits = String(repeating: "aB", count: 32)
        let checksum = try read("-d", "--checksum=SHA256:\(digits)", "example.org").checksum
        #expect(checksum?.digest.hexadecimal == digits.lowercased())
        let longer = try read("-d", "--checksum", "sha512:\(digits)\(digits)", "example.org").checksum
        #expect(longer?.digest.algorithm == .sha512)
    }

    @Test(arguments: [
        ("yes", Invocation.Verification.system), ("TRUE", .system), ("no", .anyone), ("False", .anyone),
        ("ca.pem", .authorities("ca.pem")),
    ])
    func readsVerify(value: String, expected: Invocation.Verification) throws {
        #expect(try read("--verify", value, "example.org").verification == expected)
        #expect(try read("--verify=\(value)", "example.org").verification == expected)
    }

    @Test func acceptsValuesThatLookLikeFlags() throws {
        #expect(try read("-a", "-user:-pass", "example.org").auth == "-user:-pass")
        #expect(try read("--raw", "--x", "example.org").rawBody == "--x")
        #expect(try read("example.org", "--", "-a=b").words.items.first?.name == "-a")
    }

    @Test func readsCredentials() throws {
        #expect(try read("-A", "digest", "-a", "a:b", "example.org").scheme == .digest)
        #expect(try read("-Abearer", "-a", "x", "example.org").scheme == .bearer)
        #expect(try read("--auth-type=basic", "-a", "x", "example.org").scheme == .basic)
        let plain = try read("example.org")
        #expect(plain.scheme == nil && plain.session == nil && !plain.ignoresNetrc)
        #expect(try read("--ignore-netrc", "example.org").ignoresNetrc)
    }

    @Test func readsSessions() throws {
        #expect(try read("--session", "ada", "example.org").session == SessionName("ada", isReadOnly: false))
        #expect(try read("--session-read-only=./a", "example.org").session == SessionName("./a", isReadOnly: true))
    }

    @Test func acceptsEmptyValues() throws {
        let empty = try read("--raw=", "example.org")
        #expect(empty.rawBody?.isEmpty == true && empty.words.url == "example.org")
        #expect(try read("--raw", "--raw=", "example.org").rawBody == "--raw=")
        #expect(try read("example.org", "--", "--raw=").words.items.first?.name == "--raw")
        #expect(try read("--output=", "example.org").outputFile?.isEmpty == true)
        for option in ["--response-charset=", "--format-options=", "--timeout=", "--pretty=", "--session="] {
            let fault = #expect(throws: CommandFault.self) { try read(option, "example.org") }
            #expect(fault?.sentence.contains("no URL") == false, "\(fault?.sentence ?? "")")
        }
    }

    @Test func acceptsValuesInEachNotation() throws {
        for words in [["-ox"], ["-o=x"], ["-o", "x"], ["--output=x"], ["--output", "x"], ["-Fox"], ["-Fo", "x"]] {
            #expect(try read(words + ["example.org"]).outputFile == "x", "\(words)")
        }
        #expect(try read("--raw=a=b", "example.org").rawBody == "a=b")
        // A combining character forms one character with the dash or the equals sign.
        #expect(try read("--raw=\u{301}", "example.org").rawBody == "\u{301}")
        #expect(throws: CommandFault.self) { try read("-\u{301}", "h") }
        #expect(try read("-", "a=b").words.url == "-")
        #expect(try read("-a", "--", "example.org").auth == "--")
    }

    @Test func resetsFlags() throws {
        let taken = try read("-vFj", "--timeout=1", "--no-verbose", "--no-follow", "--no-json", "--no-timeout", "h")
        let plain = try read("h")
        #expect(taken == plain)
        // Later flags override.
        #expect(try read("-F", "--no-follow", "-F", "h").followsRedirects)
        #expect(try read("--session=a", "--no-session", "--session-read-only=b", "h").session?.isReadOnly == true)
        for words in [["--no-nonsense"], ["--no-follow=x"], ["--no-"]] {
            #expect(throws: CommandFault.self) { try read(words + ["h"]) }
        }
    }

    @Test(arguments: [
        ("--folow", "--follow"), ("--verbos", "--verbose"), ("--max-redirect=3", "--max-redirects"),
        ("--ouptut", "--output"), ("-verbose", "--verbose"), ("--time", "--timeout"), ("--Follow", "--follow"),
    ])
    func suggestsSimilarFlags(typed: String, meant: String) {
        let fault = #expect(throws: CommandFault.self) { try read(typed, "h") }
        #expect(fault?.sentence.contains("did you mean \(meant)?") == true, "\(fault?.sentence ?? "")")
    }

    @Test func suggestsNothingForDissimilarFlags() {
        for typed in ["--nonsense", "--x", "-Z", "--" + String(repeating: "follow", count: 1000)] {
            let fault = #expect(throws: CommandFault.self) { try read(typed, "h") }
            #expect(fault?.sentence.contains("did you mean") == false)
            #expect(fault?.sentence.contains("apus --help") == true)
        }
    }

    @Test func showsNoValueOfAnUnknownFlag() {
        let fault = #expect(throws: CommandFault.self) { try read("--auht=ada:sesame", "h") }
        #expect(fault?.sentence.contains("sesame") == false)
    }

    @Test(arguments: ["--follow=x", "-F=x", "--help="]) func rejectsAnUnexpectedValue(typed: String) {
        let fault = #expect(throws: CommandFault.self) { try read(typed, "h") }
        #expect(fault?.sentence.contains("no value") == true)
    }

    @Test(arguments: [["--timeout"], ["--timeout", "-F"], ["-p"], ["-p", "--", "h"], ["--session", "-v"]])
    func rejectsAFlagWithoutItsValue(words: [String]) {
        let fault = #expect(throws: CommandFault.self) { try read(["h"] + words) }
        #expect(fault?.sentence.contains("needs a value") == true, "\(fault?.sentence ?? "")")
    }

    @Test(arguments: [
        [], ["--nonsense", "example.org"], ["--timeout", "soon", "example.org"], ["--timeout=-1", "example.org"],
        ["--timeout", "nan", "example.org"], ["--max-redirects=-1", "example.org"],
        ["--max-redirects", "-1", "example.org"], ["--timeout", "-1", "example.org"],
        ["--pretty", "ugly", "example.org"],
        ["example.org", "-o"], ["example.org", "noitem"], ["--retry=-1", "example.org"],
        ["--retry", "often", "example.org"], ["-A", "ntlm", "-a", "a:b", "example.org"],
        ["--session=a b", "example.org"], ["--session=", "example.org"], ["--session=x/", "example.org"],
        ["--session=a", "--session-read-only=b", "example.org"], ["--limit-rate=0", "example.org"],
        ["--limit-rate=-1", "example.org"], ["--limit-rate=1T", "example.org"], ["--limit-rate=K", "example.org"],
        ["--limit-rate=+1", "example.org"], ["--limit-rate=8589934592G", "example.org"],
        ["-d", "--checksum=md5:aa", "example.org"], ["-d", "--checksum=sha256:aa", "example.org"],
        ["-d", "--checksum=sha256", "example.org"], ["-d", "--checksum=", "example.org"],
        ["--checksum=sha256:\(String(repeating: "a", count: 64))", "example.org"],
        ["-c", "example.org"], ["-c", "-d", "-o", "-", "example.org"], ["-c", "-d", "--offline", "example.org"],
        ["-c", "-o", "x", "--curl", "example.org"],
        ["--run"], ["--queue", "--run"], ["--queue=jobs", "--run", "example.org"], ["--queue=jobs"],
        ["--segments=2", "example.org"], ["-d", "--segments=17", "example.org"], ["-d", "--segments=x", "example.org"],
        ["--resumable", "-d", "example.org"], ["--interop-version=7", "example.org"],
        ["--list"], ["--queue=jobs", "--list", "--run"], ["--queue=jobs", "--list", "example.org"],
        ["--queue=jobs", "--pause"], ["--queue=jobs", "--pause=a", "-o", "x"], ["--priority=1", "example.org"],
        ["--queue=jobs", "--priority=1.5", "example.org/a"], ["--queue=jobs", "-d", "example.org", "@a"],
        ["--queue=jobs", "--resumable", "example.org/a"],
    ])
    func rejectsWithOneSentence(arguments: [String]) {
        let fault = #expect(throws: CommandFault.self) { try Invocation.read(arguments) }
        #expect(fault?.exitCode == .failure)
        #expect(fault?.sentence.contains(". ") == false, "\(fault?.sentence ?? "")")
        #expect(fault?.sentence.contains("\n") == false)
        #expect(fault?.sentence.isEmpty == false)
    }
}
