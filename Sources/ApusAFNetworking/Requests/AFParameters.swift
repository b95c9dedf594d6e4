public import Apus

/// The parameters of a request: a dictionary, an array or a set at the root.
///
/// ```swift
/// let search: AFParameters = ["q": "swift", "tags": ["a", "b"]]
/// let names: AFParameters = ["Ada", "Grace"]
/// let existing: [String: Any] = ["name": "Ada", "age": 36]
/// let parameters = AFParameters(foundationObject: existing)
/// ```
///
/// A value that can't be sent is no error here. Like an invalid URL, it makes the request fail when it is created.
public struct AFParameters: Sendable {
    private let root: Result<ParameterValue, ApusError>

    /// Creates parameters from any `Encodable` value: a dictionary in a variable, an array, or a type of your own.
    ///
    /// Dates, data and decimal numbers keep their type, so that the request serializer decides on their format. A `nil`
    /// is the same as no parameters.
    ///
    /// - Parameter value: The value.
    public init(_ value: some Encodable) {
        self.root = Result { () throws(ApusError) -> ParameterValue in try ParameterValue(encoding: value) }
    }

    /// Creates parameters from an object of Foundation, such as a `[String: Any]`.
    ///
    /// - Parameter foundationObject: The object. `ParameterValue.init(foundationObject:)` lists the valid values.
    public init(foundationObject: Any) {
        self.root = Result { () throws(ApusError) -> ParameterValue in
            try ParameterValue(foundationObject: foundationObject)
        }
    }

    private init(root: ParameterValue) {
        self.root = .success(root)
    }

    /// The root: a dictionary, an array or a set. `nil` if there are no parameters.
    ///
    /// - Throws: `ApusError` with the code `parameterEncodingFailed` if a value can't be converted, or if the root is a
    ///   single value.
    public var value: ParameterValue? {
        get throws(ApusError) {
            let value = try root.get()
            switch value {
            case .null: return nil
            case .dictionary, .array, .set: return value
            case .bool, .integer, .number, .decimal, .string, .data, .date:
                throw ApusError(
                    .parameterEncodingFailed,
                    "the parameters are a single value; put it into a dictionary or an array"
                )
            }
        }
    }

    /// The members of the dictionary at the root. Empty if there are no parameters.
    ///
    /// - Throws: `ApusError` with the code `parameterEncodingFailed` if a value can't be converted, or if the root is
    ///   not a dictionary.
    public var dictionary: Parameters {
        get throws(ApusError) {
            switch try value {
            case nil: return [:]
            case .dictionary(let members)?: return members
            default:
                throw ApusError(.parameterEncodingFailed, "the parameters have no names; put them into a dictionary")
            }
        }
    }
}

extension AFParameters: ExpressibleByDictionaryLiteral {
    /// If a name occurs twice, its last value is used.
    public init(dictionaryLiteral elements: (String, ParameterValue)...) {
        self.init(root: .dictionary(Dictionary(elements) { $1 }))
    }
}

extension AFParameters: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: ParameterValue...) {
        self.init(root: .array(elements))
    }
}
