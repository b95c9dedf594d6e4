/// Names from real programs: those whose values are secrets, and those whose values are not.
package enum SecretNames {
    /// Names of fields that carry credentials.
    package static let fields = [
        "Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "WWW-Authenticate", "Proxy-Authenticate",
        "Authentication-Info", "X-Api-Key", "Api-Key", "X-Auth-Token", "X-Amz-Security-Token", "X-CSRF-Token",
        "X-Gitlab-Token", "Private-Token", "X-Goog-Api-Key", "X-Vault-Token", "X-Access-Token", "Api-Token",
        "Ocp-Apim-Subscription-Key", "X-Auth-Key", "X-Functions-Key", "DD-APPLICATION-KEY", "Cf-Access-Jwt-Assertion",
        "X-Goog-IAP-JWT-Assertion", "X-Auth", "X-Set-Cookie", "X-ApiKey", "X-MBX-APIKEY", "X-APIkey", "X-Amz-Signature",
        "X-Hub-Signature-256", "Mcp-Session-Id", "X-Session-Token", "DPoP", "X-WSSE", "CB-ACCESS-SIGN", "X-WP-Nonce",
        "X-Password", "X-Client-Secret", "PRIVATE-TOKEN", "x-accesstoken",
    ]

    /// Names of parameters, members and elements.
    package static let parameters = [
        "key", "client_assertion", "code_verifier", "pass", "passcode", "subscription-key", "SAMLResponse",
        "SAMLRequest",
        "jwt", "otp", "code", "pin", "signature", "sig", "sid", "auth", "password", "access_token", "refreshToken",
        "clientSecret", "client_secret", "apikey", "apiKey", "APIKey", "APIkey", "api.key", "auth_code", "sessionid",
        "JSESSIONID", "PHPSESSID", "connect.sid", "csrfmiddlewaretoken", "_csrf", "xsrfToken", "totp", "mfa",
        "mfa_code",
        "2fa", "passphrase", "passwd", "pwd", "newPassword", "passWord", "credentials", "private", "AWSAccessKeyId",
        "recovery_codes", "id_token_hint", "bearer", "authn", "X-Amz-Credential", "verifier", "secretKey",
        "private_key",
        "cookie", "session", "token2", "JWTs",
    ]

    /// Names of fields that are shown and that are kept on a redirect.
    package static let harmlessFields = [
        "X-Request-Id", "X-Correlation-Id", "Idempotency-Key", "Sec-WebSocket-Key", "Sec-WebSocket-Accept",
        "Surrogate-Key", "Cache-Key", "X-Cache-Key", "X-API-Version", "Api-Version", "ETag", "If-None-Match", "Range",
        "User-Agent", "Accept", "Accept-Language", "Content-Type", "Content-Security-Policy", "X-Status-Code",
        "Traceparent", "Access-Control-Allow-Credentials", "X-Author", "X-Token-Type",
    ]

    /// Names of other values that are shown.
    package static let harmless = [
        "status_code", "statusCode", "HTTPStatusCode", "country_code", "zip_code", "zipCode", "error_code",
        "errorCodes",
        "postalCode", "page_token", "nextPageToken", "next_token", "max_tokens", "maxTokens", "token_type",
        "expires_in",
        "token_expires_in", "tokenCount", "primary_key", "public_key", "sortKey", "keyboard", "monkey", "author",
        "authority", "barcode", "design", "passenger", "compass", "bypass", "pinned", "spin", "sidebar", "inside",
        "codec",
        "decode", "sigma", "q", "page", "name", "user", "email", "state", "grant_type", "code_challenge_method",
        "authorization_endpoint", "cursor", "passport_office", "code_owner", "",
    ]
}
