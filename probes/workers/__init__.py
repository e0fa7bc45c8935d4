"""The child side of measuring: scripts that need the standard library and the framework under test.

They run under any interpreter from Python 3.8 on, are started by path, import each other by
their plain names, and import nothing else of this project.
"""
