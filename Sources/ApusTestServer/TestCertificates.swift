// Written by Scripts/certificates. Do not edit: run the script again.

/// The PEM texts of ``TestTLS``. The private keys are published and protect nothing.
enum TestCertificates {
    /// The authority that signed all other certificates except the self-signed one.
    static let authority = """
        -----BEGIN CERTIFICATE-----
        MIIBgzCCASigAwIBAgIUbo47W2zWl7CbiCCyew8jA5CnSpIwCgYIKoZIzj0EAwIw
        HjEcMBoGA1UEAwwTQXB1cyBUZXN0IEF1dGhvcml0eTAgFw0yMDAxMDEwMDAwMDBa
        GA8yMTIwMDEwMTAwMDAwMFowHjEcMBoGA1UEAwwTQXB1cyBUZXN0IEF1dGhvcml0
        eTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABM07GB4J2u/pdMMIweJ1FnykQ/Ho
        NoFTOOtjXGkmmrnlsvgIASbb5sCADhDSzaosXrYvSHCVNHjYy2+GV42RVzijQjBA
        MB0GA1UdDgQWBBQzXWJcOBYrqToMdzF2k+huGgN9BjAPBgNVHRMBAf8EBTADAQH/
        MA4GA1UdDwEB/wQEAwIBBjAKBggqhkjOPQQDAgNJADBGAiEAkWk43HxgATUNkZTb
        J/Cp6QVy6mLHc8F4cTC1G4hT4Q4CIQDVXPebUbVwyOp1h9s1zHL6e2+88FDTl618
        MTQOYE13tQ==
        -----END CERTIFICATE-----

        """

    /// The certificate `localhost`.
    static let localhost = """
        -----BEGIN CERTIFICATE-----
        MIIB7TCCAZOgAwIBAgIUBAQcj16RhYSYOp1bcXg3/Bmbz+EwCgYIKoZIzj0EAwIw
        HjEcMBoGA1UEAwwTQXB1cyBUZXN0IEF1dGhvcml0eTAgFw0yMDAxMDEwMDAwMDBa
        GA8yMTIwMDEwMTAwMDAwMFowFDESMBAGA1UEAwwJbG9jYWxob3N0MFkwEwYHKoZI
        zj0CAQYIKoZIzj0DAQcDQgAEa2aDhIsuntKwpe0aAYiDcNCqhfsx7hKv8n88XKr7
        oDG+Htf/P7d88GPjFAX4sMeD9J6qDjKWqsLe/xD/qgDUX6OBtjCBszAdBgNVHQ4E
        FgQUv1HKZRnX6/Rvm69j5LLWxjdsJqcwHwYDVR0jBBgwFoAUM11iXDgWK6k6DHcx
        dpPobhoDfQYwDAYDVR0TAQH/BAIwADAOBgNVHQ8BAf8EBAMCB4AwEwYDVR0lBAww
        CgYIKwYBBQUHAwEwPgYDVR0RBDcwNYIJbG9jYWxob3N0ghAqLnRlc3QubG9jYWxo
        b3N0hwR/AAABhxAAAAAAAAAAAAAAAAAAAAABMAoGCCqGSM49BAMCA0gAMEUCIQCo
        Gxz3Jo4JO3GOrDGpfRKGnC/xdkiU8iALzLoEIjSpMAIgP+Gx8FrVDLgoJZaFQxBH
        z3G+H931cfZEEIbvB5ASoEg=
        -----END CERTIFICATE-----

        """

    /// The private key of `localhost`.
    static let localhostKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgl7ws4UZr27ucXqWJ
        a6Dm2Qb088tkQc+tGdSahDPNx7ehRANCAARrZoOEiy6e0rCl7RoBiINw0KqF+zHu
        Eq/yfzxcqvugMb4e1/8/t3zwY+MUBfiwx4P0nqoOMpaqwt7/EP+qANRf
        -----END PRIVATE KEY-----

        """

    /// The certificate `localhostRSA`.
    static let localhostRSA = """
        -----BEGIN CERTIFICATE-----
        MIICuDCCAl6gAwIBAgIUYGPAlfAGHG7IbRxwLFU0Ir1v4GgwCgYIKoZIzj0EAwIw
        HjEcMBoGA1UEAwwTQXB1cyBUZXN0IEF1dGhvcml0eTAgFw0yMDAxMDEwMDAwMDBa
        GA8yMTIwMDEwMTAwMDAwMFowFDESMBAGA1UEAwwJbG9jYWxob3N0MIIBIjANBgkq
        hkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEApFi+tFivt5lT6P5dqEZLK4wc40+qv9m3
        hrmtSJnx4o29VzTq5g4D6fewbPoXIR8p1V+N7B4sFCj5dvUcDMm7IShEqNTYyhD5
        /y2h885lEV6uEFdlaz7QwzYfJPNW3SvRNFk4944FKeDtNY36yIcSx27TqW2HN764
        OkAXLEqtQDpsSWgAKX3UldbN1t/wVHDlV4jb1OuHjgjmRTr7fQu+FxTVHDzpn5XL
        ku9mXd35Se1HcTmzfYIvrtOHaouub75dZzt0VFnhNIFfV9vniTbelL+/OEwMXABk
        RFbxlvt6xPjqyfKssm0Vi9nyrc4vD2+IL7WNH9eAkZjkcCMzOSrcrQIDAQABo4G2
        MIGzMB0GA1UdDgQWBBRVsErhZ+S++auQDRrIlCUrXNov0zAfBgNVHSMEGDAWgBQz
        XWJcOBYrqToMdzF2k+huGgN9BjAMBgNVHRMBAf8EAjAAMA4GA1UdDwEB/wQEAwIF
        oDATBgNVHSUEDDAKBggrBgEFBQcDATA+BgNVHREENzA1gglsb2NhbGhvc3SCECou
        dGVzdC5sb2NhbGhvc3SHBH8AAAGHEAAAAAAAAAAAAAAAAAAAAAEwCgYIKoZIzj0E
        AwIDSAAwRQIhANdtIrK0lJ6VBrSIiY3EBtxkMbB1dsCBKeD5tAZ6V6TWAiB15Hjr
        D/eEEloFp2coVv+ks24uUle9wSz11ZHVGbAoxQ==
        -----END CERTIFICATE-----

        """

    /// The private key of `localhostRSA`.
    static let localhostRSAKey = """
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCkWL60WK+3mVPo
        /l2oRksrjBzjT6q/2beGua1ImfHijb1XNOrmDgPp97Bs+hchHynVX43sHiwUKPl2
        9RwMybshKESo1NjKEPn/LaHzzmURXq4QV2VrPtDDNh8k81bdK9E0WTj3jgUp4O01
        jfrIhxLHbtOpbYc3vrg6QBcsSq1AOmxJaAApfdSV1s3W3/BUcOVXiNvU64eOCOZF
        Ovt9C74XFNUcPOmflcuS72Zd3flJ7UdxObN9gi+u04dqi65vvl1nO3RUWeE0gV9X
        2+eJNt6Uv784TAxcAGREVvGW+3rE+OrJ8qyybRWL2fKtzi8Pb4gvtY0f14CRmORw
        IzM5KtytAgMBAAECggEAHIMH7L5RF9NaLxsIERRG4MJxVY9B8oA5On6WfTi18eXA
        sjMsSGaoj6vot/NIVXb0WT/3XX4bjBDSvKxH5kEOPbGgfcDVbnL1CCv4w5UsTA/m
        t0+OOQWgDqniS9UKnhrGs+QBwdLp+uq6hHbCCg2C+MX1oxhtI8Lq77IkQwselPx2
        alq1tVDBVRm0vXJ9SCp81Wdis4FtX6ybqr/jyd6X0eayyKG0WoKJ7zEdvDrwXjFA
        CoBQIDb1MVIxjrX30K6iiHI/GgAzqwxyLYm5kuaMHR0AcR6SWhpUn8o1BTmuoaJU
        eYa1PcZVO3vYCYjT8d+Rix8P5v5IFXkAOJxybFlG+QKBgQDb7o5dTsPskSE0bg84
        jnQrAEK1ykQDw29giovcq/K6Xw5pKMQXvH8CIQyEBnWYX+9D5WatqD1N95d11XGQ
        unx7V4ejz2E90QHDUT3eBz44mzeM0uSj0FT1+d1L64p2FduC6dUTn9/OnIW6pkNt
        ZIoQosU8H2xA4Bt0+Kn2bOwQxQKBgQC/TItKbDUxwWt2sp9yrJyDC1nkhdjd4XzN
        Is1HkJBwrdHAu5rL8wV8FKnqOyhaOU6zLPq7eUdN4xY+pm7cELIL9inAbR6+GR7M
        HVDG6JQ+ehKW6mHo1lEkg9DQ6EfM8ckH2TL58/2RvJ2o2oqa4SGWFs0W+4pEsRai
        gIbdTSIKyQKBgQCT1AaHO1FAKtDp3+yFNGNrH/K3JKyQ5wVvG9Ek08MEeK5ECu27
        kqzALpyuBXV3pUw7E+/vW/1Q8dIxlvWNtXvEoDIA7nzLQzhvI6V1HuM4w0QUeRDL
        91WUPI394OWht9Fjbm8VkMmro9PTgLwjxId05SOz5N8rwDdUaWw8wjvujQKBgHJO
        UozNy5tHb+clJJFpArxq8/PQ5pzuN5x7xx2UDDrIIiV/9CcZt5VE46LKZnpC8/us
        TMXo2ep4XrpgyK1GbJ0pIhmRGmWMrRJaEgJIxwvt9V2n/4kZRrMC8KtjoEOd1fmS
        lxsz57hFdA+JRnj1PRRp23J4K06QYm4HTo69oDHBAoGAbJqxNe+UwdtDukf0C2QZ
        iBDKTbsNiLV9EMTYAgqu41lpUPP9J4x8+fH25yMlU53aMOoARRVFK5T4XP5smpQ5
        MiH+EaJZT1vxwBih8XQps85uwb+a+EzWDwnRxvx2EHWKGKZV79bmJsFpo9bsVbrK
        WZsIEYFw7y/RzK/H+UiIy/w=
        -----END PRIVATE KEY-----

        """

    /// The certificate `wrongHost`.
    static let wrongHost = """
        -----BEGIN CERTIFICATE-----
        MIIB1DCCAXmgAwIBAgIUMSZ4iHoT8vaR4ct/OqCi7qyIwt8wCgYIKoZIzj0EAwIw
        HjEcMBoGA1UEAwwTQXB1cyBUZXN0IEF1dGhvcml0eTAgFw0yMDAxMDEwMDAwMDBa
        GA8yMTIwMDEwMTAwMDAwMFowHDEaMBgGA1UEAwwRZWxzZXdoZXJlLmV4YW1wbGUw
        WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQSwoC3XD4U9hxFIQXZBPCUK+0CSRRn
        98QZriCfNs5WNV9BCQ1k1ysf0Cqd74fmaGxAHOss0F8GxO9RClP5dSUpo4GUMIGR
        MB0GA1UdDgQWBBSKebqLKytKwYfr+orNiwgRdyseSzAfBgNVHSMEGDAWgBQzXWJc
        OBYrqToMdzF2k+huGgN9BjAMBgNVHRMBAf8EAjAAMA4GA1UdDwEB/wQEAwIHgDAT
        BgNVHSUEDDAKBggrBgEFBQcDATAcBgNVHREEFTATghFlbHNld2hlcmUuZXhhbXBs
        ZTAKBggqhkjOPQQDAgNJADBGAiEAn6kbWf3JMyAeqTt6fIvpDUCrhp2qC1M3N6re
        L6DJoIECIQDIl+H7vWOZN13EACrQmdH27dUcn2mZc9jngYu5Yh8Obw==
        -----END CERTIFICATE-----

        """

    /// The private key of `wrongHost`.
    static let wrongHostKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg5ytPRfa1qxuWeoWk
        N/QGjvNGzcBYf4+Zv5x+0Dq/z0yhRANCAAQSwoC3XD4U9hxFIQXZBPCUK+0CSRRn
        98QZriCfNs5WNV9BCQ1k1ysf0Cqd74fmaGxAHOss0F8GxO9RClP5dSUp
        -----END PRIVATE KEY-----

        """

    /// The certificate `expired`.
    static let expired = """
        -----BEGIN CERTIFICATE-----
        MIIB7DCCAZGgAwIBAgIURVd0VQT33H2JXq7DAeEeULAFuY0wCgYIKoZIzj0EAwIw
        HjEcMBoGA1UEAwwTQXB1cyBUZXN0IEF1dGhvcml0eTAeFw0yMDAxMDEwMDAwMDBa
        Fw0yMDAxMDIwMDAwMDBaMBQxEjAQBgNVBAMMCWxvY2FsaG9zdDBZMBMGByqGSM49
        AgEGCCqGSM49AwEHA0IABFzNmwr6bXM7JqXG84es5YGkIKLttS7gEEIOSptyD99e
        9zpL2Qv70YNF8HvQ89bovaje6CG9Wj9973VtGQiLZ26jgbYwgbMwHQYDVR0OBBYE
        FARw7EDXySkMS3zWI8boeax83/WrMB8GA1UdIwQYMBaAFDNdYlw4FiupOgx3MXaT
        6G4aA30GMAwGA1UdEwEB/wQCMAAwDgYDVR0PAQH/BAQDAgeAMBMGA1UdJQQMMAoG
        CCsGAQUFBwMBMD4GA1UdEQQ3MDWCCWxvY2FsaG9zdIIQKi50ZXN0LmxvY2FsaG9z
        dIcEfwAAAYcQAAAAAAAAAAAAAAAAAAAAATAKBggqhkjOPQQDAgNJADBGAiEAkeHk
        xtuK5BLsfxnLEVGn0QBrS2rodqueJrBDaHSWNs4CIQCNPfKAqs1vNPQ9nurIFTy3
        jC40HqMqOoE1ExoPoi7inQ==
        -----END CERTIFICATE-----

        """

    /// The private key of `expired`.
    static let expiredKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQghRtvYAfXnLexi2JC
        CL7dfA95ypgjQ1/Zsox+E63iiTehRANCAARczZsK+m1zOyalxvOHrOWBpCCi7bUu
        4BBCDkqbcg/fXvc6S9kL+9GDRfB70PPW6L2o3ughvVo/fe91bRkIi2du
        -----END PRIVATE KEY-----

        """

    /// The certificate `selfSigned`.
    static let selfSigned = """
        -----BEGIN CERTIFICATE-----
        MIIBwzCCAWigAwIBAgIUPabRZxT8qUPsjdWw7k1ICn78RR0wCgYIKoZIzj0EAwIw
        FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAx
        MDAwMDAwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
        PQMBBwNCAATFdmYi2ddYxuGBdPbfc/OZYp5sdC9FkI/W4tqjurEM2SVS4VMopkQh
        7MGxyIHX6WD3YlYyMhwTYwlBAykB+rs9o4GVMIGSMB0GA1UdDgQWBBRwRoF9ZkrE
        9q82z2evLkUxjnmPHTAMBgNVHRMBAf8EAjAAMA4GA1UdDwEB/wQEAwIHgDATBgNV
        HSUEDDAKBggrBgEFBQcDATA+BgNVHREENzA1gglsb2NhbGhvc3SCECoudGVzdC5s
        b2NhbGhvc3SHBH8AAAGHEAAAAAAAAAAAAAAAAAAAAAEwCgYIKoZIzj0EAwIDSQAw
        RgIhANnhEiDGDlFIeDuGckRd1eZQO6uASdL4084lvhAQcjuiAiEA5e/In8L+dH3R
        0Bnw4lFjA/DkF27ZycP73jKWqmL6lGc=
        -----END CERTIFICATE-----

        """

    /// The private key of `selfSigned`.
    static let selfSignedKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgv6ileE3kI540y45f
        JGWzNtWcT2Sv7/Rdbi60jVCmVQ6hRANCAATFdmYi2ddYxuGBdPbfc/OZYp5sdC9F
        kI/W4tqjurEM2SVS4VMopkQh7MGxyIHX6WD3YlYyMhwTYwlBAykB+rs9
        -----END PRIVATE KEY-----

        """

    /// The certificate `client`.
    static let client = """
        -----BEGIN CERTIFICATE-----
        MIIBsTCCAVigAwIBAgIUBWVS9exbO/QjgyST6rYRXDAR5MgwCgYIKoZIzj0EAwIw
        HjEcMBoGA1UEAwwTQXB1cyBUZXN0IEF1dGhvcml0eTAgFw0yMDAxMDEwMDAwMDBa
        GA8yMTIwMDEwMTAwMDAwMFowGzEZMBcGA1UEAwwQQXB1cyBUZXN0IENsaWVudDBZ
        MBMGByqGSM49AgEGCCqGSM49AwEHA0IABFa+sQc6fN08WaVPt0r/9/kBexbQDMpe
        wGko4OILUiqblEXYDR/2XFoGZwJO623wySY7p8TAOibw4NEknRJzaEijdTBzMB0G
        A1UdDgQWBBQtqr4mh5n6yyMZ6v4rEp9TQms/HTAfBgNVHSMEGDAWgBQzXWJcOBYr
        qToMdzF2k+huGgN9BjAMBgNVHRMBAf8EAjAAMA4GA1UdDwEB/wQEAwIHgDATBgNV
        HSUEDDAKBggrBgEFBQcDAjAKBggqhkjOPQQDAgNHADBEAiB4wk0tYHbsyba2JgHw
        iXHsg2f5h4UA6/ip4dPXbfH+aQIgBkRLMf/GwbHecSPq8nn4Y4rVwh2XHwXAbULi
        +Z3RQlY=
        -----END CERTIFICATE-----

        """

    /// The private key of `client`.
    static let clientKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgp9nM86vZjGqx975w
        NdVsJ+Mt4YqCwkL0MEkF34Nlk62hRANCAARWvrEHOnzdPFmlT7dK//f5AXsW0AzK
        XsBpKODiC1Iqm5RF2A0f9lxaBmcCTutt8MkmO6fEwDom8ODRJJ0Sc2hI
        -----END PRIVATE KEY-----

        """
}
