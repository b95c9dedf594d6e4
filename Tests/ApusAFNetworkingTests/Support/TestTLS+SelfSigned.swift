internal import ApusTestServer

extension TestTLS {
    /// A server of `localhost` and 127.0.0.1 with a self-signed certificate without a key usage. A chain can end in it,
    /// unlike in that of `selfSigned`. Its key protects nothing.
    static let selfSignedForAnyUse = TestTLS(
        certificateChainPEM: """
            -----BEGIN CERTIFICATE-----
            MIIBjDCCATKgAwIBAgIUB9Mpkyy8kZNNfp2Vtv9X+d+KKqkwCgYIKoZIzj0EAwIw
            FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAx
            MDAwMDAwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
            PQMBBwNCAATC2nvCzBW7wejZ/G7yb2/CrMPGJ2HGfgpid47poPiwdAy8Kpu2jPu1
            muHv0OAshxOW250pbbEFuLWQQzmaPzb2o2AwXjAdBgNVHQ4EFgQUJe/VO5ckwsAb
            3CzOfDWqFWr315owDAYDVR0TAQH/BAIwADATBgNVHSUEDDAKBggrBgEFBQcDATAa
            BgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZIzj0EAwIDSAAwRQIhAK9W
            9vTZ9uNhdnqUq51vS3Kh+zL2B2v4pK00zHXHCx3HAiAoOf9VS3C65UD9OScmcXr7
            nYpm4JIcsMb0qLHvQVARdA==
            -----END CERTIFICATE-----

            """,
        privateKeyPEM: """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgclCdLib0AxpbQ1Pj
            H9hlAXPNyaUDp5DzZlJI1mHYInyhRANCAATC2nvCzBW7wejZ/G7yb2/CrMPGJ2HG
            fgpid47poPiwdAy8Kpu2jPu1muHv0OAshxOW250pbbEFuLWQQzmaPzb2
            -----END PRIVATE KEY-----

            """
    )
}
