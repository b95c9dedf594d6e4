internal import ApusCore
public import Foundation

extension HTTPArchive {
    /// The request of an exchange.
    public struct Request: Sendable, Hashable {
        /// The method.
        public var method: String
        /// The absolute URL, without a fragment.
        public var url: String
        /// The protocol version, for example `HTTP/1.1`, or `unknown` if no connection was made.
        public var httpVersion: String
        /// The cookies of its `Cookie` fields.
        public var cookies: [Cookie]
        /// The fields.
        public var headers: [Pair]
        /// The query of the URL, decoded.
        public var queryString: [Pair]
        /// The body, `nil` if there was none.
        public var postData: PostData?
        /// Bytes of the head, `nil` if unknown.
        public var headersSize: Int64?
        /// Bytes of the body, `nil` if unknown.
        public var bodySize: Int64?
        /// A comment by the author.
        public var comment: String?
    }

    /// The response of an exchange.
    public struct Response: Sendable, Hashable {
        /// The status code, 0 if there was no response.
        public var status: Int
        /// The reason phrase.
        public var statusText: String
        /// The protocol version, for example `HTTP/1.1`, or `unknown` if no connection was made.
        public var httpVersion: String
        /// The cookies of its `Set-Cookie` fields.
        public var cookies: [Cookie]
        /// The fields.
        public var headers: [Pair]
        /// The body.
        public var content: Content
        /// The target of the `Location` field, empty if there is none.
        public var redirectURL: String
        /// Bytes of the head, `nil` if unknown.
        public var headersSize: Int64?
        /// Bytes of the body as received, before decoding. `nil` if unknown.
        public var bodySize: Int64?
        /// A comment by the author.
        public var comment: String?
        /// The failure of the exchange, if there was one: `_error`, as Chrome writes it.
        public var error: String?
    }

    /// A name and a value: a field or a query parameter.
    public struct Pair: Sendable, Hashable {
        /// The name.
        public var name: String
        /// The value.
        public var value: String
        /// A comment by the author.
        public var comment: String?
    }

    /// A cookie.
    public struct Cookie: Sendable, Hashable {
        /// The name.
        public var name: String
        /// The value.
        public var value: String
        /// The path of the cookie.
        public var path: String?
        /// The domain of the cookie.
        public var domain: String?
        /// When the cookie expires.
        public var expires: Date?
        /// Whether scripts cannot read the cookie.
        public var httpOnly: Bool?
        /// Whether the cookie is sent over TLS only.
        public var secure: Bool?
        /// A comment by the author.
        public var comment: String?
    }

    /// The body of a request: its parameters if it is a form, otherwise its text.
    public struct PostData: Sendable, Hashable {
        /// The media type.
        public var mimeType: String
        /// The parameters of a form. Default: none.
        public var params: [Parameter] = []
        /// The body as text.
        public var text: String?
        /// `base64` if the text encodes bytes, `nil` for plain text. Written as `_encoding`.
        public var encoding: String?
        /// A comment by the author.
        public var comment: String?
    }

    /// A parameter of a submitted form.
    public struct Parameter: Sendable, Hashable {
        /// The name.
        public var name: String
        /// The value, `nil` for a file.
        public var value: String?
        /// The name of the file.
        public var fileName: String?
        /// The media type of the file.
        public var contentType: String?
        /// A comment by the author.
        public var comment: String?
    }

    /// The body of a response.
    public struct Content: Sendable, Hashable {
        /// Bytes of the decoded body, `nil` if unknown.
        public var size: Int64?
        /// The number of bytes that the content coding saved.
        public var compression: Int64?
        /// The media type, empty if the response has none.
        public var mimeType: String
        /// The decoded body, `nil` if it was not kept.
        public var text: String?
        /// `base64` if the text encodes bytes, `nil` for plain text.
        public var encoding: String?
        /// A comment by the author.
        public var comment: String?

        /// The bytes of the text, `nil` if there is no text.
        public var data: Data? {
            guard let text else { return nil }
            return encoding == "base64" ? Data(base64Encoded: text) : Data(text.utf8)
        }
    }
}
