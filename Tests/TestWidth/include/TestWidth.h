// Nothing is called here: to be linked is enough.
