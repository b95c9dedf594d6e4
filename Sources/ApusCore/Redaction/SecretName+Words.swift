extension SecretName {
    /// The words known to `SecretName`. Each is a number made of its letters, with the last letter in the lowest byte.
    enum Words {
        /// Words that mark a secret anywhere in a name.
        private static let anywhere = set(
            """
            key apikey appkey authkey masterkey sharedkey sessionkey signingkey encryptionkey subscriptionkey functionkey
            functionskey licensekey accountkey clientkey consumerkey passkey
            token jwt jws jwe bearer dpop assertion saml samlp samlresponse samlrequest
            auth authn authz oauth authcode authorization authorisation authentication authenticate wsse
            session sess sid sessid phpsessid cookie csrf xsrf nonce wpnonce
            password passwd passphrase passcode pincode pwd secret credential psk
            otp hotp totp mfa 2fa cvv cvc
            signature sig hmac verifier
            """
        )

        /// Words that mark a secret at the end of a name only, since they are too common elsewhere.
        private static let atEnd = set("code pass pin private sign")

        /// A word that contains one of these counts like `token`, since names are also written without separators.
        static let stems = words(
            "passw passphrase pwd secret token apikey accesskey privatekey credential authorization session signature"
        ).map { (letters: $0, mask: mask(of: $0)) }

        /// A name that ends in one of these describes a secret but does not hold it: `token_type`, `expires_in`.
        static let qualities = set(
            """
            type algorithm alg method length size count version expires expiry expiration lifetime ttl timeout limit
            endpoint supported required enabled
            """
        )

        static let expires = number("expires")
        static let afterExpires = set("in at")

        /// Harmless names that consist of one of these words and a preceding word, such as `Idempotency-Key`,
        /// `status_code` and `max_tokens`.
        private static let exceptions: [UInt128: Set<UInt128>] = [
            number("key"): set(
                """
                idempotency websocket socket surrogate cache public primary foreign sort partition index page start
                evaluated issue project url
                """
            ),
            number("code"): set(
                """
                status error exit return response result reason http country region state area zip postal post city
                language lang locale currency color product item station airport bar qr
                """
            ),
            number("token"): set("page next continuation"),
            number("tokens"): set("max total prompt completion input output cached reasoning remaining"),
            number("credentials"): set("allow"),
        ]

        static func isSecret(_ word: UInt128) -> Bool { contains(word, in: anywhere) }

        static func isSecretAtEnd(_ word: UInt128) -> Bool { contains(word, in: atEnd) }

        static func isExempt(_ word: UInt128, behind other: UInt128) -> Bool {
            other != 0 && (holds(word, other) || word & 0xFF == plural && holds(word >> 8, other))
        }

        private static let plural = UInt128(UInt8(ascii: "s"))

        private static func holds(_ word: UInt128, _ other: UInt128) -> Bool {
            exceptions[word]?.contains(other) ?? false
        }

        private static func contains(_ word: UInt128, in words: Set<UInt128>) -> Bool {
            words.contains(word) || word & 0xFF == plural && words.contains(word >> 8)
        }

        private static func set(_ text: String) -> Set<UInt128> { Set(words(text)) }

        private static func words(_ text: String) -> [UInt128] {
            text.split(whereSeparator: \.isWhitespace).map { number($0) }
        }

        private static func number(_ word: some StringProtocol) -> UInt128 {
            word.utf8.reduce(0) { $0 << 8 | UInt128($1) }
        }

        private static func mask(of word: UInt128) -> UInt128 {
            UInt128.max >> (UInt128(word.leadingZeroBitCount) / 8 * 8)
        }
    }
}
