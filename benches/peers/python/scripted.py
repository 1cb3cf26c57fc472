"""A server on 127.0.0.1 that speaks like OpenAI's Chat Completions API and replies by a script.

The script is a function from the request to a text. A client that offers tools gets the text as the arguments of a
call of the tool it wants; every other client gets it as the content of the message.
"""

import http.server
import json
import threading


class Scripted:
    """The server; it runs until the process ends."""

    def __init__(self):
        self.requests = []
        self.script = lambda request: "{}"
        self.finish = None
        scripted = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True
            wbufsize = -1

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                reply = scripted.reply(json.loads(body))
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(reply)))
                self.end_headers()
                self.wfile.write(reply)
                self.wfile.flush()

            def log_message(self, *_):
                pass

        listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        listener.daemon_threads = True
        threading.Thread(target=listener.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{listener.server_port}/v1"

    def play(self, script, finish=None):
        """Replies by `script` from now on, each reply with `finish` as its reason to end."""
        self.requests, self.script, self.finish = [], script, finish

    def reply(self, request):
        self.requests.append(request)
        tool = wanted_tool(request)
        text = self.script(request)
        message = {"role": "assistant", "content": text, "refusal": None}
        if tool:
            call = {"id": f"call_{len(self.requests)}", "type": "function"}
            call["function"] = {"name": tool, "arguments": text}
            message = {"role": "assistant", "content": None, "refusal": None, "tool_calls": [call]}
        choice = {
            "index": 0,
            "message": message,
            "logprobs": None,
            "finish_reason": self.finish or ("tool_calls" if tool else "stop"),
        }
        usage = {"prompt_tokens": 700, "completion_tokens": 300, "total_tokens": 1000}
        completion = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1760000000, "model": "gpt-4o-mini"}
        return json.dumps({**completion, "choices": [choice], "usage": usage}).encode()


def wanted_tool(request):
    """The tool that the client forces, or else a tool for patches, or else the first; `None` without tools."""
    names = [tool["function"]["name"] for tool in request.get("tools", [])]
    choice = request.get("tool_choice")
    if isinstance(choice, dict):
        return choice["function"]["name"]
    patching = [name for name in names if name.startswith("Patch")]
    return (patching or names or [None])[0]
