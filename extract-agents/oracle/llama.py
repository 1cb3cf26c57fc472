"""Serves weights with llama.cpp on a free port of 127.0.0.1, and runs a command that asks it.

usage: llama.py <weights> <command> …
"""

import os
import socket
import subprocess
import sys

import xllamacpp


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def main(weights, *command):
    params = xllamacpp.CommonParams()
    params.model.path = weights
    params.n_ctx = 4096
    params.hostnames = ["127.0.0.1"]
    params.port = free_port()
    # The command has work to do too.
    params.cpuparams.n_threads = max(1, (os.cpu_count() or 1) // 2)
    server = xllamacpp.Server(params)
    environment = {**os.environ, "EXTRACT_LLAMA_CPP": f"{server.listening_address}/v1"}
    # From here on, the server's log of each token is nobody's business.
    out, errors, nowhere = os.dup(1), os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1), os.dup2(nowhere, 2)
    code = subprocess.run(command, env=environment, stdout=out, stderr=errors).returncode
    # The server has no end of its own.
    os._exit(code)


main(*sys.argv[1:])
