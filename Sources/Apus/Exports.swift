@_exported public import ApusAuth
@_exported public import ApusCoding
@_exported public import ApusCookies
@_exported public import ApusCore
@_exported public import ApusDiagnostics
@_exported public import ApusJSON
@_exported public import ApusParameters
@_exported public import HTTPTypes
