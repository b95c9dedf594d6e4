@_exported public import Apus
