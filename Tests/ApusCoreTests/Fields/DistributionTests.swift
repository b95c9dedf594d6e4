#if !canImport(Darwin)
    internal import Testing

    @testable internal import ApusCore

    @Suite struct DistributionTests {
        @Test(arguments: [
            ("NAME=\"x\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n", "Debian GNU/Linux 12 (bookworm)"),
            ("PRETTY_NAME='Alpine Linux v3.20'", "Alpine Linux v3.20"), ("PRETTY_NAME=Arch\n", "Arch"),
            ("", ""), ("NAME=x", ""), ("PRETTY_NAME=", ""), ("#PRETTY_NAME=x", ""),
        ])
        func readsTheDistributionName(text: String, name: String) {
            #expect(UserAgent.distribution(text) == name)
        }
    }
#endif
