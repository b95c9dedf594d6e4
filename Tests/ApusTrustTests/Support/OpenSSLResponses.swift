internal import Foundation

@testable internal import ApusTrust

/// Certificates of an authority with an RSA key, and the requests and responses that OpenSSL 3.0 has made about them
/// with `openssl ocsp`.
enum OpenSSLResponses {
    /// A minute after the responses were made.
    static let moment = Date(timeIntervalSince1970: 1_795_703_345)

    static var authority: ParsedCertificate { get throws { try certificate(authorityText) } }
    static var good: ParsedCertificate { get throws { try certificate(goodText) } }
    static var revoked: ParsedCertificate { get throws { try certificate(revokedText) } }

    /// The request about `good`, without a nonce.
    static var request: [UInt8] { bytes(requestText) }
    /// The response about `good`, with SHA-1 and an end. It is signed by a delegate, which is named by its key.
    static var goodByDelegate: [UInt8] { bytes(goodByDelegateText) }
    /// The response about `good`, with SHA-256, a nonce and no end. It is signed by the authority.
    static var goodWithoutEnd: [UInt8] { bytes(goodWithoutEndText) }
    /// The response about `revoked`, which was revoked on 1 June 2026 at noon.
    static var revokedResponse: [UInt8] { bytes(revokedResponseText) }

    private static func bytes(_ base64: String) -> [UInt8] {
        Array(Data(base64Encoded: base64.filter { !$0.isWhitespace }) ?? Data())
    }

    private static func certificate(_ base64: String) throws -> ParsedCertificate {
        try ParsedCertificate(derBytes: bytes(base64))
    }

    private static let authorityText = """
        MIIDKTCCAhGgAwIBAgIUPQVJ3zZx5kS+bd4Ma9I7a/CJ0LYwDQYJKoZIhvcNAQELBQAwHDEaMBgGA1UEAwwRT3BlblNTTCBB
        dXRob3JpdHkwHhcNMjYxMTI2MTQyODA1WhcNNDYxMTIxMTQyODA1WjAcMRowGAYDVQQDDBFPcGVuU1NMIEF1dGhvcml0eTCC
        ASIwDQYJKoZIhvcNAQEBBQADggEPADCCAQoCggEBAO1d6Ce7modsVmpJWiG9J3Bllmk6O2nd4gM6iR8dvqAkaLq5KxOvjPH+
        laLof0hgqX49I2ZIQbz/eejTiJ7e6nhe0DF/0uxOfdmnQxh1uqYlrTxUeCI23q8HErzEIx4xzdDP44PRFHkKWRgbNLTj7eb1
        wZxhdjYL+wlhENvLoODnaatAV5ouaHB9CVya8fSqpnSeuO8cAuEeiej6cLBRPhUajSZbePCRrAnGC0GJ0gtmqqyr2utl4QGD
        U+q0eq1nP/U13Kx0On/iG6ZR6iMPGu3wYcvxIKJKU1yCcQgKSXbL9L9dUHb+tWWv2egCt3suCEuxnW29ImtXxxwEa69/nOMC
        AwEAAaNjMGEwHQYDVR0OBBYEFFH8ATGP5cPBHojL3Lbaysiyfni3MB8GA1UdIwQYMBaAFFH8ATGP5cPBHojL3Lbaysiyfni3
        MA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgEGMA0GCSqGSIb3DQEBCwUAA4IBAQCD5r20K59F9VY1zUfHEl12Z9Ql
        0qHrwHTs5DRqdYtoLgozDBzbE9pCFPqFTK64Dv3GjwhJNbNUAyfnXQmEQ/SfR+vmrGubHKza2+6cwMqo/gA6VDI8s/k7IslF
        S4o0IeWkcaXHYcPTEnpF6IimXuYN12AsF90dZrLro8jO9I9FdOpHonlf3RcUI3OYAEtmcnvkH4O1J7DJKBecRHf0GlvIi3DO
        nI82NjdBnU4bzjEKda/zh65+fd8DnD96rzykZQJ00xweKKgb83cC88MZxnEmQbmD55sIR7kgnVwPbUr4EqclvWbb8rnuhw7h
        Sfp9zBMn46ciQ/ULLwf9B7MpkEYO
        """

    private static let goodText = """
        MIICdDCCAVygAwIBAgIHAPChssPU5TANBgkqhkiG9w0BAQsFADAcMRowGAYDVQQDDBFPcGVuU1NMIEF1dGhvcml0eTAeFw0y
        NjExMjYxNDI4MDVaFw00NjExMjExNDI4MDVaMA8xDTALBgNVBAMMBGdvb2QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATq
        ej1ekigfSTGdyYMVUryn/G+qhd3Lj1mHnZuTiEouqPTsCeZHFgrRDCSp46qQ+vjmMexsRSxsYptCWOPfLaaTo4GSMIGPMBcG
        A1UdEQQQMA6CDGdvb2QuZXhhbXBsZTA0BggrBgEFBQcBAQQoMCYwJAYIKwYBBQUHMAGGGGh0dHA6Ly9vY3NwLmV4YW1wbGUv
        Z29vZDAdBgNVHQ4EFgQU+Wk9L8vNtN62V+ZrX24agv6pyE8wHwYDVR0jBBgwFoAUUfwBMY/lw8EeiMvcttrKyLJ+eLcwDQYJ
        KoZIhvcNAQELBQADggEBANP1i+jBuiCNgJlPXDNmka22sUC3DCf9Ay5Xyu/cmLV3kPT5+9xBt6VFXt79nxW0La6rxkYDSweU
        S4unbvmIxLoembQbnLr2Ietz7NLgnkgSzO8KtE6QMEZGIVbL3LuMe3CLElSTK20+16zqKWFYOMGUQaF5Mi1E7Lk02uq52RWL
        a6gY4w+Arzbs3iPbWx+t4ic/6xPwzUtwIzJ1wYEXBN+sUjA8cVla+1eNKXyrh6izAKvLvx3UCjBVDmzTL1RCrPg5kx9IwJwS
        8IxyIpQNpY/Q4+IdnIQAddHpkpUt6c8scsHwty1OOkGacxH1vB17CQZtr527uEyxUyC209Smq1c=
        """

    private static let revokedText = """
        MIICPTCCASWgAwIBAgICEAIwDQYJKoZIhvcNAQELBQAwHDEaMBgGA1UEAwwRT3BlblNTTCBBdXRob3JpdHkwHhcNMjYxMTI2
        MTQyODA1WhcNNDYxMTIxMTQyODA1WjASMRAwDgYDVQQDDAdyZXZva2VkMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEWmq6
        qrUgYsVrHKpYLpSUiEwQZS3rgk9objJaFsiChFGVSX7o3tmZDpFhHHTRxbrcNEzRnmF+upV4pb96eVwrXKNeMFwwGgYDVR0R
        BBMwEYIPcmV2b2tlZC5leGFtcGxlMB0GA1UdDgQWBBS3wc8eVShYylloQhfpmX58R/dT/jAfBgNVHSMEGDAWgBRR/AExj+XD
        wR6Iy9y22srIsn54tzANBgkqhkiG9w0BAQsFAAOCAQEATPveY+82b/1HAB4Q0Bpl0VQy1638+/Ibe2FRfkEUk3I7nhQwrbbg
        KSK/d8gddQqGa2vLFqp929SO4sd+2ukvMWn9Nbv/JA9JmWLDncpARoBftu05SA732dRKb2WGXvaVoFQU41Cry+zP9qdurHVl
        NNTVLWmNjg3cYdCezZtC+CMwfQSx3dcCCQmAaqO6YIrlqD277AAoN77aiQXMa3vWu/UhipSb4yTeUxqITgqyrd7pfiQuNRjn
        moNeIsKcUsoJuCg7Ap337wBEZP26XCGxjVen8E9NB0U624mnnuj0x2t8JUA/+pqv/5TBqQI0sVf5N7BCaXo7792x1aQBBY9M
        cA==
        """

    private static let requestText = """
        MEgwRjBEMEIwQDAJBgUrDgMCGgUABBTJuyZT9NK4B0fo4clGrfc/FtuCMgQUUfwBMY/lw8EeiMvcttrKyLJ+eLcCBwDwobLD
        1OU=
        """

    private static let goodByDelegateText = """
        MIIDbgoBAKCCA2cwggNjBgkrBgEFBQcwAQEEggNUMIIDUDCBlaIWBBSAcdWLh6IHyRo2Fz6qqvh7tRGCiBgPMjAyNjExMjYx
        NDI4MDVaMGowaDBAMAkGBSsOAwIaBQAEFMm7JlP00rgHR+jhyUat9z8W24IyBBRR/AExj+XDwR6Iy9y22srIsn54twIHAPCh
        ssPU5YAAGA8yMDI2MTEyNjE0MjgwNVqgERgPMjA0NjAxMjUxNDI4MDVaMAoGCCqGSM49BAMCA0gAMEUCIQCE7DjitwRtBjtu
        EO56lrbBy71CTA/oaQVNhQ4ckU07ngIgRqo9uLeIr296QZZPonR45IMtWYAyTG9Kh8Z9zT04wSugggJeMIICWjCCAlYwggE+
        oAMCAQICAhADMA0GCSqGSIb3DQEBCwUAMBwxGjAYBgNVBAMMEU9wZW5TU0wgQXV0aG9yaXR5MB4XDTI2MTEyNjE0MjgwNVoX
        DTQ2MTEyMTE0MjgwNVowFDESMBAGA1UEAwwJcmVzcG9uZGVyMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEDlTgEAI6RWIO
        D3mAlkD1Y23Rp8X1u0RGuzIZj1/inxuEyfQlqFMRyr664Z82GRioNFOyfxqheu5fMZTLABhst6N1MHMwEwYDVR0lBAwwCgYI
        KwYBBQUHAwkwCwYDVR0PBAQDAgeAMA8GCSsGAQUFBzABBQQCBQAwHQYDVR0OBBYEFIBx1YuHogfJGjYXPqqq+Hu1EYKIMB8G
        A1UdIwQYMBaAFFH8ATGP5cPBHojL3Lbaysiyfni3MA0GCSqGSIb3DQEBCwUAA4IBAQCMnixLQm6MhVK8jtAU+64V+BPrRK08
        tDncC7k/uGY5wXAcW/aA33vuYkVgNLo0h+2y2TdKhwjOrlROFModu3etcXDFemp42T/GpXNRXp0Eqm76vWlZkW5E9vb81gto
        pQBzVcfyrP4/gFYohdH77tp39UeBFg1d9PKO3IlyMkaNIIDDbSzAxkwJDILoLiH0gwfoglxCA/kWmq3UkHUQTCNVx5WrcCgy
        jOFjCU77PNduPdxP0AczAcgPKrCF0RJAqeSHoP0DKYv7Zq9iXoy8FulPoDAqshSxi+hbTL5aEFYBk9kPqjI9f7a82AQhAAjp
        Y+9/G7l6K4ZtjLTwfXX3epuS
        """

    private static let goodWithoutEndText = """
        MIICAAoBAKCCAfkwggH1BgkrBgEFBQcwAQEEggHmMIIB4jCBy6EeMBwxGjAYBgNVBAMMEU9wZW5TU0wgQXV0aG9yaXR5GA8y
        MDI2MTEyNjE0MjgwNVowczBxMFwwDQYJYIZIAWUDBAIBBQAEIPSfZB8icLgsn2X1bbJXNJZj6c2/3m1Ac11byczra/0CBCDw
        uzMHk81b6VHQlHCpVdfV/efzi8PQAjEvUpsW2zI7cwIHAPChssPU5YAAGA8yMDI2MTEyNjE0MjgwNVqhIzAhMB8GCSsGAQUF
        BzABAgQSBBCa2HGBSIZVBpBZ8KraYy33MA0GCSqGSIb3DQEBCwUAA4IBAQCnm5S83dBL3KddgWRBgWEPDGO7QgSXfZQ7IdNV
        a13bVtA+nTSVv0mbM8JwoHxsNwSLYUzybztFTTuxZj5cRJdsRux9qtFSoeI0YPCImyDIr5e/SIG2ucPDw/KmEQTEA/ZfHuTZ
        H0vQZK+izSV3QWj/t4OyyJXCerJ1VX0f3vtXvIHI2lZ90uDbkjNmiuYFaTz4Eh3cMz2RudnY+OzAHHnX6fI95dcgFpl4+OhI
        lbQb/iknt4+g4arftuB5yRdbqhsl5KGfMK1EDsBMEDxOUe++VlNq9rQ4PhKaKXYVakanIH/LEA+9H4va7+E4SVq81VSTrDuD
        wUiy4/qcta4GCgsE
        """

    private static let revokedResponseText = """
        MIIFGAoBAKCCBREwggUNBgkrBgEFBQcwAQEEggT+MIIE+jCBrqEeMBwxGjAYBgNVBAMMEU9wZW5TU0wgQXV0aG9yaXR5GA8y
        MDI2MTEyNjE0MjgwNVowezB5MDswCQYFKw4DAhoFAAQUybsmU/TSuAdH6OHJRq33PxbbgjIEFFH8ATGP5cPBHojL3Lbaysiy
        fni3AgIQAqEWGA8yMDI2MDYwMTEyMDAwMFqgAwoBARgPMjAyNjExMjYxNDI4MDVaoBEYDzIwNDYwMTI1MTQyODA1WjANBgkq
        hkiG9w0BAQsFAAOCAQEAY8bbTWCzVytY1yN4f0zL/sxRn3zfwNqTRG0w+HZMK8oKjS7zBSCByka06acMQnTjL+BqrJzek8AU
        nDMhqXbyocZ0wISZCmGQ3fk9/Vt3ibbTXZr0KHJggAT0Nr0CVFBYCDklM/at3GcGqU21i/SVhGp53aKj0nFj06ycj42LSX5O
        IlFC1/GE+iUMrDcXc+buiksdBMZYIZ3BuM0bokVx6R7mw8+tmb4FhupGgRkQyvw8zJN9j1YA3CTZUt6vw24/gti3RJXLN5Wf
        mZ/jTeUM2mR+jk9S5gS50a1O9zb4pALnf/owO96ebJmyA8HGuSMQyg4VzLNfay3av6nfkRT7X6CCAzEwggMtMIIDKTCCAhGg
        AwIBAgIUPQVJ3zZx5kS+bd4Ma9I7a/CJ0LYwDQYJKoZIhvcNAQELBQAwHDEaMBgGA1UEAwwRT3BlblNTTCBBdXRob3JpdHkw
        HhcNMjYxMTI2MTQyODA1WhcNNDYxMTIxMTQyODA1WjAcMRowGAYDVQQDDBFPcGVuU1NMIEF1dGhvcml0eTCCASIwDQYJKoZI
        hvcNAQEBBQADggEPADCCAQoCggEBAO1d6Ce7modsVmpJWiG9J3Bllmk6O2nd4gM6iR8dvqAkaLq5KxOvjPH+laLof0hgqX49
        I2ZIQbz/eejTiJ7e6nhe0DF/0uxOfdmnQxh1uqYlrTxUeCI23q8HErzEIx4xzdDP44PRFHkKWRgbNLTj7eb1wZxhdjYL+wlh
        ENvLoODnaatAV5ouaHB9CVya8fSqpnSeuO8cAuEeiej6cLBRPhUajSZbePCRrAnGC0GJ0gtmqqyr2utl4QGDU+q0eq1nP/U1
        3Kx0On/iG6ZR6iMPGu3wYcvxIKJKU1yCcQgKSXbL9L9dUHb+tWWv2egCt3suCEuxnW29ImtXxxwEa69/nOMCAwEAAaNjMGEw
        HQYDVR0OBBYEFFH8ATGP5cPBHojL3Lbaysiyfni3MB8GA1UdIwQYMBaAFFH8ATGP5cPBHojL3Lbaysiyfni3MA8GA1UdEwEB
        /wQFMAMBAf8wDgYDVR0PAQH/BAQDAgEGMA0GCSqGSIb3DQEBCwUAA4IBAQCD5r20K59F9VY1zUfHEl12Z9Ql0qHrwHTs5DRq
        dYtoLgozDBzbE9pCFPqFTK64Dv3GjwhJNbNUAyfnXQmEQ/SfR+vmrGubHKza2+6cwMqo/gA6VDI8s/k7IslFS4o0IeWkcaXH
        YcPTEnpF6IimXuYN12AsF90dZrLro8jO9I9FdOpHonlf3RcUI3OYAEtmcnvkH4O1J7DJKBecRHf0GlvIi3DOnI82NjdBnU4b
        zjEKda/zh65+fd8DnD96rzykZQJ00xweKKgb83cC88MZxnEmQbmD55sIR7kgnVwPbUr4EqclvWbb8rnuhw7hSfp9zBMn46ci
        Q/ULLwf9B7MpkEYO
        """
}
