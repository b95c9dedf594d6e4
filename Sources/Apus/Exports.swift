@_exported public import ApusCore
@_exported public import HTTPTypes
