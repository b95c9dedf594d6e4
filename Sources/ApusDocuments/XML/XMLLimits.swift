/// The limits for reading a document. They are inclusive: a document may reach them, but not exceed them.
public struct XMLLimits: Sendable, Hashable {
    /// The maximum size of a document in bytes, as received. Default: 64 MiB.
    public var maximumBytes: Int
    /// The maximum nesting depth of elements. For a tree it is at most ``XMLTree/deepestNesting``. Default: 256.
    public var maximumDepth: Int
    /// The maximum number of attributes of one element. Default: 1 000.
    public var maximumAttributes: Int
    /// The maximum number of nodes in a tree: elements, texts, comments and instructions. Parsing by events has no such
    /// limit, since it stores no nodes. Default: 1 000 000.
    public var maximumNodes: Int

    /// Creates limits.
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
