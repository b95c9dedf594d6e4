// Declares no functions, since linking the library is sufficient.
