internal import Foundation

@testable internal import ApusTrust

/// Certificates and a response that OpenSSL 3.0 has signed by RSASSA-PSS, with a salt as long as the hash. They are
/// valid for about a hundred years.
enum PSSSamples {
    /// An authority with an RSA key of 2,048 bits, which has signed itself with SHA-256.
    static var root: ParsedCertificate { get throws { try certificate(rootText) } }
    /// Certificates for `a.example` that it has signed with SHA-256, SHA-384 and SHA-512.
    static var servers: [ParsedCertificate] { get throws { try serverTexts.map(certificate) } }
    /// The response about the first server, which the authority has signed with SHA-256.
    static var response: [UInt8] { bytes(responseText) }

    private static func bytes(_ base64: String) -> [UInt8] {
        Array(Data(base64Encoded: base64.filter { !$0.isWhitespace }) ?? Data())
    }

    private static func certificate(_ base64: String) throws -> ParsedCertificate {
        try ParsedCertificate(derBytes: bytes(base64))
    }

    private static let rootText = """
        MIIDYDCCAhSgAwIBAgIUYcKt3ALnRzMOdK6QQfublqGuBswwQQYJKoZIhvcNAQEKMDSgDzANBglghkgBZQMEAgEFAKEcMBoG
        CSqGSIb3DQEBCDANBglghkgBZQMEAgEFAKIDAgEgMBMxETAPBgNVBAMMCFBTUyBSb290MCAXDTI2MTEyNjE3MDc1OVoYDzIx
        MjYxMTAyMTcwNzU5WjATMREwDwYDVQQDDAhQU1MgUm9vdDCCASIwDQYJKoZIhvcNAQEBBQADggEPADCCAQoCggEBALkdXEa7
        /5gtlAf4q6uMT6ip4ee8ifCOhu5TgksCmPOXp4v9qhhG3f9hIzWdcuB/c9KmcBjbVRDGd8nyL2PfVAdtj5pxJzUXYZW21dc6
        Ff+JNU8P1l3VF3NKU2iaHz6dyzxjP3pd0n5qYjFr6VaFrqLnXIESxYj8uQfhZVYqtFPon1imErpx9WgwZY0tiO1znfJhnd4P
        DHPyD+c+DUpgldr/EBLBMls+A8hikvCGl7VI4VbTl2sWJO+yWqFmmWKH+hZvRZTAcd9Q4cGU0vlSvILFgFl8BdoroWsuGamj
        8LzI7zv7/KuzziAEZPrdZTfOrw6nnD1qKtG9r9oFZI7skzcCAwEAAaNCMEAwDwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8E
        BAMCAYYwHQYDVR0OBBYEFIjDjuWnWCxdrG3XHRSstnrZyNDrMEEGCSqGSIb3DQEBCjA0oA8wDQYJYIZIAWUDBAIBBQChHDAa
        BgkqhkiG9w0BAQgwDQYJYIZIAWUDBAIBBQCiAwIBIAOCAQEAqr5PxjrqgmcUazxRXC+50weNsKfLtiwufp6GmQu3j9cYUO3w
        x3fPFfpJyxRcWHrZKmSaizaBeATyAB+SMDn/NtXJ4s0LhAOmV0GvYOiqv+zNOImqnph+v+VI+XdAT+RN9uVVJwxXIBIPj6bZ
        6RYxzNgHNwSvCj0vZdqSE4f3T2cnWND93NsM6yrTIC+PcO48SPRU0gkn3T5gL6c89yZuF5Ze0STo2u8LUzEHz5R8NA2PLSrJ
        9p2p40qpEuFmm7sRVhrepXpD0SBB+cs3p20f7R8pUA7gCnNeOBpbhFHhAPVZDvfJx6EP8wT3PXDcbZE5RnI7LhefCaNiGUkJ
        gimffw==
        """

    private static let serverTexts = [
        """
        MIICyzCCAX+gAwIBAgICAlYwQQYJKoZIhvcNAQEKMDSgDzANBglghkgBZQMEAgEFAKEcMBoGCSqGSIb3DQEBCDANBglghkgB
        ZQMEAgEFAKIDAgEgMBMxETAPBgNVBAMMCFBTUyBSb290MCAXDTI2MTEyNjE3MDc1OVoYDzIxMjYxMTAyMTcwNzU5WjARMQ8w
        DQYDVQQDDAZzaGEyNTYwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQGRW27FoE+7f8JYbqFU/LqeYoJ7KQcdkmdPfz4TEzD
        RisvOX42MjtIytTXVsD2xerMYyjvBkSzCx6nWtYFsY+do4GLMIGIMBQGA1UdEQQNMAuCCWEuZXhhbXBsZTAwBggrBgEFBQcB
        AQQkMCIwIAYIKwYBBQUHMAGGFGh0dHA6Ly9vY3NwLmV4YW1wbGUvMB0GA1UdDgQWBBQEU5mGlERmpvHy65XRB5bDIgJe/zAf
        BgNVHSMEGDAWgBSIw47lp1gsXaxt1x0UrLZ62cjQ6zBBBgkqhkiG9w0BAQowNKAPMA0GCWCGSAFlAwQCAQUAoRwwGgYJKoZI
        hvcNAQEIMA0GCWCGSAFlAwQCAQUAogMCASADggEBAHeiFMWnE9lBI/zXMjtxk93J2AtpPkqQ7azMfH3Hp1pWY5fDedTnpjjo
        +h7IkCCjJz5bD9eBE7Oa0jolYHLGrjcifBAt8mNury+SBzvdPhx3x10/E6whfzJBUxj9rDkzaPeKcOu4YlVE2WaYJe4gj5z8
        0dEVSQj4PTdCpCkrbUXzIwyl3pQdvQzrXvxPt0sWOQVEa9l1YKm1MbL2WdJQNnCWx+tK0AT+3X5TjJMlKKnAJtOku9/WEAvb
        EKJYX3X3Bvi2m9l8VmzlCBof6v4UaLidtT7Bgr3d9jK9gZoPnrCSvIlz24JVtpmqAKCTZ6Qx6sQ4On678x7IheDnAddZjc4=
        """,
        """
        MIICyzCCAX+gAwIBAgICA4QwQQYJKoZIhvcNAQEKMDSgDzANBglghkgBZQMEAgIFAKEcMBoGCSqGSIb3DQEBCDANBglghkgB
        ZQMEAgIFAKIDAgEwMBMxETAPBgNVBAMMCFBTUyBSb290MCAXDTI2MTEyNjE3MDgwMFoYDzIxMjYxMTAyMTcwODAwWjARMQ8w
        DQYDVQQDDAZzaGEzODQwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAR/f0ONOi0qIgPHJLV7YGU+eG1QYh6YN/5kf3dOSiVn
        Uhr8vSbeTTg1flFi89E1Tpv3Plw3sguHSqUu1HUIlJk7o4GLMIGIMBQGA1UdEQQNMAuCCWEuZXhhbXBsZTAwBggrBgEFBQcB
        AQQkMCIwIAYIKwYBBQUHMAGGFGh0dHA6Ly9vY3NwLmV4YW1wbGUvMB0GA1UdDgQWBBSZjH9TD7e6+tlMdE79w8aguqp1+TAf
        BgNVHSMEGDAWgBSIw47lp1gsXaxt1x0UrLZ62cjQ6zBBBgkqhkiG9w0BAQowNKAPMA0GCWCGSAFlAwQCAgUAoRwwGgYJKoZI
        hvcNAQEIMA0GCWCGSAFlAwQCAgUAogMCATADggEBAKW3nvDXXeiDxqbD2MpT+6hn0apT5n9V2zTZDKhXTNoYGNfvmoRkNJsX
        r5g+bMkoKh5OpRmIYJ+whbjwJdKZf9Y29R8PgDl+Pd8JN2cvZWWByMOCGx9k1xmexraEyEP8fw+XIgONPZAzoSF7SJephhwj
        CflWVE9jdoIdBW+7zFsKfxNrcE1WZ+YBhVWjoA24uVldG7dBrfKftXdmNf9C75Nr5XYIVpsDfWqaGJOdjJIdnr2VHnYaPukB
        KBEd8K2SJJbcsBlHFetLwWffVkPl8d7Hyt9V9n0eA9KbJhbuJZxr72dadIf9dT63lGSqmdRKSbYy2UINrqUqZXLuFaOL408=
        """,
        """
        MIICyzCCAX+gAwIBAgICBRIwQQYJKoZIhvcNAQEKMDSgDzANBglghkgBZQMEAgMFAKEcMBoGCSqGSIb3DQEBCDANBglghkgB
        ZQMEAgMFAKIDAgFAMBMxETAPBgNVBAMMCFBTUyBSb290MCAXDTI2MTEyNjE3MDgwMFoYDzIxMjYxMTAyMTcwODAwWjARMQ8w
        DQYDVQQDDAZzaGE1MTIwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAS3b3S/wW/kFtIyEaFC05rKhYz7U96NEIcMqXyvAfAF
        mDNB82Ks6GVQCLmKL8jCkpNdau7XLMmAE03di22IUIT9o4GLMIGIMBQGA1UdEQQNMAuCCWEuZXhhbXBsZTAwBggrBgEFBQcB
        AQQkMCIwIAYIKwYBBQUHMAGGFGh0dHA6Ly9vY3NwLmV4YW1wbGUvMB0GA1UdDgQWBBTmCTo9Z+co3LYWh1+A2iZIAhbxOjAf
        BgNVHSMEGDAWgBSIw47lp1gsXaxt1x0UrLZ62cjQ6zBBBgkqhkiG9w0BAQowNKAPMA0GCWCGSAFlAwQCAwUAoRwwGgYJKoZI
        hvcNAQEIMA0GCWCGSAFlAwQCAwUAogMCAUADggEBAFE8sn3lQwgN+gemkirPb6ZKDwsK21KD+IFsoujtG+IK+7qKyjOCdHlH
        pEN6BH8uoyBrRukgYE/MRx7T1hK2/ikgbEWAMCrvdp5gSrN/Pv5fabJojrUkdHZkQbsTCLR2c9t/AGEGR3tPGW057cFM6XZ6
        hqB5DRkOxcZXaXJ6Q8krkZ932rjZfnGba4E2wIHV3ESd6Gtil0s2SmA5PjkFCT9jWLCHv5wmGAXIQWkZSx36ALgO/tpTCjeL
        UDLx9o7a1jok/kE/o+X9T0VSGYs4EoxhEwgnR2kdHU9J++t7a2UXWq206lC447bwsK/hDiXamtZZWwXDUtEEj/JqaJri/Q8=
        """,
    ]

    private static let responseText = """
        MIIB+AoBAKCCAfEwggHtBgkrBgEFBQcwAQEEggHeMIIB2jCBj6EVMBMxETAPBgNVBAMMCFBTUyBSb290GA8yMDI2MTEyNjE3
        MDgwMFowZTBjMDswCQYFKw4DAhoFAAQUfxyxr38ijlOypOex4d+hhmwLYoEEFIjDjuWnWCxdrG3XHRSstnrZyNDrAgICVoAA
        GA8yMDI2MTEyNjE3MDgwMFqgERgPMjEyNTA2MjAxNzA4MDBaMEEGCSqGSIb3DQEBCjA0oA8wDQYJYIZIAWUDBAIBBQChHDAa
        BgkqhkiG9w0BAQgwDQYJYIZIAWUDBAIBBQCiAwIBIAOCAQEAh0kliJRu5Ed1NB04PS/93JO4lZiPRWhiLQCtx4Q4c1XlOy77
        OF535a33ig/7IBLUi1mHJq+xKT3xR+alDT/dKq07X+Op6UQlZbZ25XFhlaqECo/6v2oAzreU68vald1jT5hl9yxFJOPMBa+7
        Hi4ajTPHMmMp3y4XFKeIAn2PQ1xA+0VD4VYiaMUPA85RAxyZzULQuzHW5Pn3mMdBvHfFQEXhemCWeP9a9hYSNziZ+huExRqU
        DTfXcuJFNrEtinM6hJouOcWpOrmCGRxD/j+pUIKGFCPrHWUS2PIqJbFvT7QbIEVyFPQtBnPq5OX0ZdkcT9IOE4JbV5HHPqQ9
        xOOS3Q==
        """
}
