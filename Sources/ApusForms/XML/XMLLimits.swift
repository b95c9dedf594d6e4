/// What a document may cost. A limit is inclusive: so much passes, one more does not.
public struct XMLLimits: Sendable, Hashable {
    /// The bytes of a document, as they came; 64 MiB by default.
    public var maximumBytes: Int
    /// How deep elements may be nested; 256 by default. A tree goes no deeper than
    /// ``XMLTree/deepestNesting``, whatever stands here.
    public var maximumDepth: Int
    /// The attributes of one element; 1 000 by default.
    public var maximumAttributes: Int
    /// The nodes of a tree: elements, pieces of text, comments and instructions; 1 000 000 by default. What is read
    /// event by event has no such limit, since nothing of it is kept.
    public var maximumNodes: Int

    /// Makes limits.
    public init(
        maximumBytes: Int = 64 << 20,
        maximumDepth: Int = 256,
        maximumAttributes: Int = 1_000,
        maximumNodes: Int = 1_000_000
    ) {
        self.maximumBytes = maximumBytes
        self.maximumDepth = maximumDepth
        self.maximumAttributes = maximumAttributes
        self.maximumNodes = maximumNodes
    }
}
