internal import ApusCore
