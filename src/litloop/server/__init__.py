"""The HTTP server: the library's routes, its event streams, and the page, in one process.

`app.create_app` makes the application of an open library; `serving.serve` runs it. FastAPI and its kin are an
extra, so nothing here is imported before a server is wanted.
"""
