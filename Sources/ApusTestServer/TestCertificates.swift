// Written by Scripts/certificates. Do not edit: run the script again.

/// The PEM texts behind ``TestTLS``; their keys protect nothing.
enum TestCertificates {
    /// The authority that signed every other certificate here but the self-signed one.
    static let authority = """
        -----BEGIN CERTIFICATE-----
        MIIBgjCCASigAwIBAgIUS641c5K7bm6w6tczHmkZYk8Z91AwCgYIKoZIzj0EAwIw
        HjEcMBoGA1UEAwwTQXB1cyBUZXN0IEF1dGhvcml0eTAgFw0yMDAxMDEwMDAwMDBa
        GA8yMTIwMDEwMTAwMDAwMFowHjEcMBoGA1UEAwwTQXB1cyBUZXN0IEF1dGhvcml0
        eTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABGzdz+1ZLmRUQNaz/sDfXTfuDXaN
        zrLfCmnFZPSOWgePud6Z8mubXcfKQ3tSmXaP9cUj9snSkw1ZOIbT95gqAFejQjBA
        MB0GA1UdDgQWBBQHhPzYV7a8Hyhs541YWR/uSezcoDAPBgNVHRMBAf8EBTADAQH/
        MA4GA1UdDwEB/wQEAwIBBjAKBggqhkjOPQQDAgNIADBFAiEAjLPxgqSlZ4KZv1/t
        pNI4cKFPDwwNuKuVlwm7kIujYhcCIENLjj5lATl2RRHciqJm0QwakT4OmAkAP9/P
        lNJE0hCr
        -----END CERTIFICATE-----

        """

    /// The certificate `localhost`.
    static let localhost = """
        -----BEGIN CERTIFICATE-----
        MIIB7TCCAZOgAwIBAgIUeXVn2vjVPW2+MGmG7+VKsDBkBGwwCgYIKoZIzj0EAwIw
        HjEcMBoGA1UEAwwTQXB1cyBUZXN0IEF1dGhvcml0eTAgFw0yMDAxMDEwMDAwMDBa
        GA8yMTIwMDEwMTAwMDAwMFowFDESMBAGA1UEAwwJbG9jYWxob3N0MFkwEwYHKoZI
        zj0CAQYIKoZIzj0DAQcDQgAEx5QmXoRcccmYVHcC1evvugB/q32VpatNYcs9nilt
        f53UnHC6XoVK7sJVwFgx+bdu2vAlMAd010v08s4d3xufwaOBtjCBszAdBgNVHQ4E
        FgQUYR3E76BRBnWJ+ws1fjzyZjJwrO0wHwYDVR0jBBgwFoAUB4T82Fe2vB8obOeN
        WFkf7kns3KAwDAYDVR0TAQH/BAIwADAOBgNVHQ8BAf8EBAMCB4AwEwYDVR0lBAww
        CgYIKwYBBQUHAwEwPgYDVR0RBDcwNYIJbG9jYWxob3N0ghAqLnRlc3QubG9jYWxo
        b3N0hwR/AAABhxAAAAAAAAAAAAAAAAAAAAABMAoGCCqGSM49BAMCA0gAMEUCIQCI
        1Y24ZrY0loh7N204nsaG6wZKRVE+KaZOYo1N9dGDFwIgTZhxLWIt+XZSxY9M/ss8
        CBgP6h0zcQuic/KSNym9hTg=
        -----END CERTIFICATE-----

        """

    /// The private key of `localhost`.
    static let localhostKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgGwxhQNgi1E7XcyU9
        ALY929NYeWtQGEFZeLAALNRnH2qhRANCAATHlCZehFxxyZhUdwLV6++6AH+rfZWl
        q01hyz2eKW1/ndSccLpehUruwlXAWDH5t27a8CUwB3TXS/Tyzh3fG5/B
        -----END PRIVATE KEY-----

        """

    /// The certificate `wrongHost`.
    static let wrongHost = """
        -----BEGIN CERTIFICATE-----
        MIIB0jCCAXmgAwIBAgIUEdahsi34FBrXHeIsCZJF35t8HWswCgYIKoZIzj0EAwIw
        HjEcMBoGA1UEAwwTQXB1cyBUZXN0IEF1dGhvcml0eTAgFw0yMDAxMDEwMDAwMDBa
        GA8yMTIwMDEwMTAwMDAwMFowHDEaMBgGA1UEAwwRZWxzZXdoZXJlLmV4YW1wbGUw
        WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQuc0uoaJNa6ygUaxlW5dmBWVXux6HO
        t6gNgteg30FFb/RSePuxpmVkLYBxsyfCZfUtRs4QMIHs4UK4pviqDKQmo4GUMIGR
        MB0GA1UdDgQWBBQ+iZ5aDluG/3g6UtHbUww45lNTJTAfBgNVHSMEGDAWgBQHhPzY
        V7a8Hyhs541YWR/uSezcoDAMBgNVHRMBAf8EAjAAMA4GA1UdDwEB/wQEAwIHgDAT
        BgNVHSUEDDAKBggrBgEFBQcDATAcBgNVHREEFTATghFlbHNld2hlcmUuZXhhbXBs
        ZTAKBggqhkjOPQQDAgNHADBEAiBooFaBUlrLw//39thwfzy3bIYNyAQLD6geK3cC
        WIlFjwIgSU0aSzkUk7vWszTL9nVREjEy9pxX+nZ9N+VrPaOXQ2U=
        -----END CERTIFICATE-----

        """

    /// The private key of `wrongHost`.
    static let wrongHostKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgyGP27HsR6NbqFpRX
        F81Q2hOf5IzocmoCdL6oPbF/v1+hRANCAAQuc0uoaJNa6ygUaxlW5dmBWVXux6HO
        t6gNgteg30FFb/RSePuxpmVkLYBxsyfCZfUtRs4QMIHs4UK4pviqDKQm
        -----END PRIVATE KEY-----

        """

    /// The certificate `expired`.
    static let expired = """
        -----BEGIN CERTIFICATE-----
        MIIB6jCCAZGgAwIBAgIUXcz6KdTn5MPiSeL5VTMRE0zmpLkwCgYIKoZIzj0EAwIw
        HjEcMBoGA1UEAwwTQXB1cyBUZXN0IEF1dGhvcml0eTAeFw0yMDAxMDEwMDAwMDBa
        Fw0yMDAxMDIwMDAwMDBaMBQxEjAQBgNVBAMMCWxvY2FsaG9zdDBZMBMGByqGSM49
        AgEGCCqGSM49AwEHA0IABBzq/ZqqUWIFFlx9uoPuVx7YQvxDLIOZHmjrJIzx6KwS
        FidQDD0VJZx8+FJsP7KxWgJ3VZrdPVEQLK96HMYuocejgbYwgbMwHQYDVR0OBBYE
        FNF0Aa5wqrSbC5MQdUpASjo1NIchMB8GA1UdIwQYMBaAFAeE/NhXtrwfKGznjVhZ
        H+5J7NygMAwGA1UdEwEB/wQCMAAwDgYDVR0PAQH/BAQDAgeAMBMGA1UdJQQMMAoG
        CCsGAQUFBwMBMD4GA1UdEQQ3MDWCCWxvY2FsaG9zdIIQKi50ZXN0LmxvY2FsaG9z
        dIcEfwAAAYcQAAAAAAAAAAAAAAAAAAAAATAKBggqhkjOPQQDAgNHADBEAiAD+YdC
        8CmWBzGWZy7xnZMOZEW6EQDsspWfIxhtmbHmfQIgbPIxeiNh7lqNRD9gvKNqf20v
        oEJR+Jqauy1z89Zh5I4=
        -----END CERTIFICATE-----

        """

    /// The private key of `expired`.
    static let expiredKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg26jGRoRh0zrcV9DV
        EudvErwEKtZQcMUO/lf1/YfFlDuhRANCAAQc6v2aqlFiBRZcfbqD7lce2EL8QyyD
        mR5o6ySM8eisEhYnUAw9FSWcfPhSbD+ysVoCd1Wa3T1RECyvehzGLqHH
        -----END PRIVATE KEY-----

        """

    /// The certificate `selfSigned`.
    static let selfSigned = """
        -----BEGIN CERTIFICATE-----
        MIIBwjCCAWigAwIBAgIUK+sOMMuJkGzv6sJ7wK6eT5O46CkwCgYIKoZIzj0EAwIw
        FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAx
        MDAwMDAwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
        PQMBBwNCAARr20CiOfimMDQ0FOjrC0S2rKulLZXkGU3DEe5qCp4lN1QaGnjiupq5
        vjZfvGu2F26uKpO7Lf5MoLeiIXEENAQFo4GVMIGSMB0GA1UdDgQWBBQ7dAOgToaK
        LJuxRyVRXYkVUD1IbzAMBgNVHRMBAf8EAjAAMA4GA1UdDwEB/wQEAwIHgDATBgNV
        HSUEDDAKBggrBgEFBQcDATA+BgNVHREENzA1gglsb2NhbGhvc3SCECoudGVzdC5s
        b2NhbGhvc3SHBH8AAAGHEAAAAAAAAAAAAAAAAAAAAAEwCgYIKoZIzj0EAwIDSAAw
        RQIhAI6PhkqnOcNLiUstoPn+j3tgPKJKJoDDERraMsv1GxSfAiA8L1fMzLJ2SuCH
        KeeZ9OMfqpztzgc0yyNtX9YPgLxy/g==
        -----END CERTIFICATE-----

        """

    /// The private key of `selfSigned`.
    static let selfSignedKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgxM/NDN6l5J8XSeWA
        gVN7R91tfN2xVw1c5Td2UY837OyhRANCAARr20CiOfimMDQ0FOjrC0S2rKulLZXk
        GU3DEe5qCp4lN1QaGnjiupq5vjZfvGu2F26uKpO7Lf5MoLeiIXEENAQF
        -----END PRIVATE KEY-----

        """

    /// The certificate `client`.
    static let client = """
        -----BEGIN CERTIFICATE-----
        MIIBsTCCAVigAwIBAgIUDfLh2kau6tqk3DQQ/SsMD/+A6uUwCgYIKoZIzj0EAwIw
        HjEcMBoGA1UEAwwTQXB1cyBUZXN0IEF1dGhvcml0eTAgFw0yMDAxMDEwMDAwMDBa
        GA8yMTIwMDEwMTAwMDAwMFowGzEZMBcGA1UEAwwQQXB1cyBUZXN0IENsaWVudDBZ
        MBMGByqGSM49AgEGCCqGSM49AwEHA0IABHqLjGUvZvJt9bCrXeXTHAXOlEv1ARPW
        ajBYM69URAYe8HeejaQmUJFfVcKoYuA15xTM+jTpYP6Z/ZirJkmG7AajdTBzMB0G
        A1UdDgQWBBR2kzeJX6BEq34hddjCZ9RKeydLbTAfBgNVHSMEGDAWgBQHhPzYV7a8
        Hyhs541YWR/uSezcoDAMBgNVHRMBAf8EAjAAMA4GA1UdDwEB/wQEAwIHgDATBgNV
        HSUEDDAKBggrBgEFBQcDAjAKBggqhkjOPQQDAgNHADBEAiBsJOTsnedjV0qImw8B
        F57x22CdqiDMHHmau6gTemojOgIgMimYhWn5Vwd0+mh2U0bB34n/8ioZjMlHo6y+
        6xnltnI=
        -----END CERTIFICATE-----

        """

    /// The private key of `client`.
    static let clientKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg0FfI5hPeJj83KIkQ
        NoVSCp6y5Ps9APxCCjXbdrXG0+WhRANCAAR6i4xlL2bybfWwq13l0xwFzpRL9QET
        1mowWDOvVEQGHvB3no2kJlCRX1XCqGLgNecUzPo06WD+mf2YqyZJhuwG
        -----END PRIVATE KEY-----

        """
}
