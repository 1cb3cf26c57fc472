"""An OpenAI-compatible server with a local model, and what its replies cost.

The server is that of llama.cpp, from the package `xllamacpp`. Between it and the client stands a
counter, because some libraries do not say how many tokens they used.
"""

import http.server
import json
import threading
import time
import urllib.request

import xllamacpp


class Server:
    """Serves `weights` (GGUF) on 127.0.0.1 until the process ends."""

    def __init__(self, weights, threads):
        settings = xllamacpp.CommonParams()
        settings.model.path = weights
        settings.n_ctx = 8192
        settings.n_parallel = 1
        settings.cpuparams.n_threads = threads
        settings.cpuparams_batch.n_threads = threads
        settings.hostnames = ["127.0.0.1"]
        settings.port = 0
        settings.verbosity = 0
        self._server = xllamacpp.Server(settings)
        self.upstream = self._server.listening_address
        self.counter = Counter(self.upstream)

    @property
    def url(self):
        """Base address for clients, through the counter."""
        return self.counter.url


class Counter:
    """Forwards requests and adds up the tokens that the replies report."""

    def __init__(self, upstream):
        counter = self
        self.reset()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                question = json.loads(body)
                # The same for every client: no chance, and an end.
                question["temperature"] = 0
                question["max_tokens"] = 512
                request = urllib.request.Request(
                    upstream + self.path,
                    data=json.dumps(question).encode(),
                    headers={"Content-Type": "application/json"},
                )
                status = 200
                try:
                    reply = urllib.request.urlopen(request).read()
                except urllib.error.HTTPError as error:
                    status, reply = error.code, error.read()
                counter.add(reply)
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(reply)))
                self.end_headers()
                self.wfile.write(reply)

            def log_message(self, *_):
                pass

        listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=listener.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{listener.server_port}/v1/"

    def reset(self):
        self.requests = self.input_tokens = self.output_tokens = 0
        self.started = time.monotonic()

    @property
    def seconds(self):
        return time.monotonic() - self.started

    def add(self, reply):
        usage = json.loads(reply).get("usage", {})
        self.requests += 1
        self.input_tokens += usage.get("prompt_tokens", 0)
        self.output_tokens += usage.get("completion_tokens", 0)
