/// The words of the command line: `[METHOD] URL [ITEM…]`.
struct RequestWords: Equatable {
    /// The method in capitals, or `nil` if it was not given.
    var method: String?
    /// The URL as typed.
    var url: String
    /// The items, in order.
    var items: [RequestItem]

    /// No words.
    static let none = RequestWords()

    private init() {
        url = ""
        items = []
    }

    /// Parses the words.
    ///
    /// As in HTTPie, a first word of only letters is the method if another word follows. The exception is `localhost`.
    init(_ words: [String]) throws(CommandFault) {
        guard var url = words.first else {
            throw CommandFault("there is no URL to request; write 'apus URL', or 'apus --help' to learn more")
        }
        var rest = words.dropFirst()
        if let second = rest.first, Self.isMethod(url) {
            method = url.uppercased()
            url = second
            rest = rest.dropFirst()
        } else {
            method = nil
        }
        self.url = url
        var items: [RequestItem] = []
        for word in rest { items.append(try RequestItem(word)) }
        self.items = items
    }

    /// Returns the given method. Without one, returns POST if there is a body, and GET otherwise.
    func method(hasInput: Bool) -> String {
        method ?? (hasInput || items.contains { $0.kind.isContent } ? "POST" : "GET")
    }

    private static func isMethod(_ word: String) -> Bool {
        !word.isEmpty && word.utf8.allSatisfy { (0x61...0x7A).contains($0 | 0x20) } && word.lowercased() != "localhost"
    }
}
