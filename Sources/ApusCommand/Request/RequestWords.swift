/// What the words of the command line mean: `[METHOD] URL [ITEM…]`.
struct RequestWords: Equatable {
    /// The method in capitals; `nil` where it is to be guessed.
    var method: String?
    /// The URL as it was typed.
    var url: String
    /// The items, in order.
    var items: [RequestItem]

    /// No words at all.
    static let none = RequestWords()

    private init() {
        url = ""
        items = []
    }

    /// Sorts the words.
    ///
    /// A first word of letters alone is the method if another word follows, as in HTTPie; but `localhost` is a host.
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

    /// POST where there is content, else GET; unless a method was given.
    func method(hasInput: Bool) -> String {
        method ?? (hasInput || items.contains { $0.kind.isContent } ? "POST" : "GET")
    }

    private static func isMethod(_ word: String) -> Bool {
        !word.isEmpty && word.utf8.allSatisfy { (0x61...0x7A).contains($0 | 0x20) } && word.lowercased() != "localhost"
    }
}
