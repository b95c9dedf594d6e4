public import Foundation

extension HTTPArchive {
    /// What was sent.
    public struct Request: Sendable, Hashable {
        /// The method.
        public var method: String
        /// The absolute URL, without a fragment.
        public var url: String
        /// The version of the protocol: `HTTP/1.1`, or `unknown` where no connection was made.
        public var httpVersion: String
        /// The cookies of its `Cookie` fields.
        public var cookies: [Cookie]
        /// The fields.
        public var headers: [Pair]
        /// The query of the URL, decoded.
        public var queryString: [Pair]
        /// The content; `nil` where there was none.
        public var postData: PostData?
        /// Bytes of the head; `nil` where that is not known.
        public var headersSize: Int64?
        /// Bytes of the content; `nil` where that is not known.
        public var bodySize: Int64?
        /// What its author has to say.
        public var comment: String?
    }

    /// What came back.
    public struct Response: Sendable, Hashable {
        /// The status code; 0 where there was no response.
        public var status: Int
        /// The reason phrase.
        public var statusText: String
        /// The version of the protocol: `HTTP/1.1`, or `unknown` where no connection was made.
        public var httpVersion: String
        /// The cookies of its `Set-Cookie` fields.
        public var cookies: [Cookie]
        /// The fields.
        public var headers: [Pair]
        /// The content.
        public var content: Content
        /// Where the `Location` leads; empty where there is none.
        public var redirectURL: String
        /// Bytes of the head; `nil` where that is not known.
        public var headersSize: Int64?
        /// Bytes of the content as it came, still coded; `nil` where that is not known.
        public var bodySize: Int64?
        /// What its author has to say.
        public var comment: String?
        /// Why the exchange failed, where it did: `_error`, as Chrome writes it.
        public var error: String?
    }

    /// A name and a value: a field, or a parameter of a query.
    public struct Pair: Sendable, Hashable {
        /// The name.
        public var name: String
        /// The value.
        public var value: String
        /// What its author has to say.
        public var comment: String?
    }

    /// A cookie.
    public struct Cookie: Sendable, Hashable {
        /// The name.
        public var name: String
        /// The value.
        public var value: String
        /// The path that it is for.
        public var path: String?
        /// The host that it is for.
        public var domain: String?
        /// When it ends.
        public var expires: Date?
        /// Whether scripts don't get to see it.
        public var httpOnly: Bool?
        /// Whether it is sent over TLS alone.
        public var secure: Bool?
        /// What its author has to say.
        public var comment: String?
    }

    /// The content of a request: its parameters where it is a form, else its text.
    public struct PostData: Sendable, Hashable {
        /// The media type.
        public var mimeType: String
        /// The parameters of a form.
        public var params: [Parameter] = []
        /// The content as text.
        public var text: String?
        /// `base64` where the text is that of bytes; `nil` where it is text. It is written as `_encoding`.
        public var encoding: String?
        /// What its author has to say.
        public var comment: String?
    }

    /// A parameter of a form that was sent.
    public struct Parameter: Sendable, Hashable {
        /// The name.
        public var name: String
        /// The value; `nil` for that of a file.
        public var value: String?
        /// The name of the file.
        public var fileName: String?
        /// The media type of the file.
        public var contentType: String?
        /// What its author has to say.
        public var comment: String?
    }

    /// The content of a response.
    public struct Content: Sendable, Hashable {
        /// Bytes of the content once decoded; `nil` where that is not known.
        public var size: Int64?
        /// How many bytes its coding has saved.
        public var compression: Int64?
        /// The media type; empty where the response names none.
        public var mimeType: String
        /// The decoded content; `nil` where it was not kept.
        public var text: String?
        /// `base64` where the text is that of bytes; `nil` where it is text.
        public var encoding: String?
        /// What its author has to say.
        public var comment: String?

        /// The bytes of the text; `nil` where there is none.
        public var data: Data? {
            guard let text else { return nil }
            return encoding == "base64" ? Data(base64Encoded: text) : Data(text.utf8)
        }
    }
}
