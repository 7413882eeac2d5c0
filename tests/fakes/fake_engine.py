"""A small program that behaves like `vllm serve`, with bad habits on demand. Standard library only.

It is started exactly as the real one is (tests/fakes/environment.py lays it out as a package named `vllm` in an
environment of its own), has an API server, an engine core and a worker process as vLLM has, writes vLLM's lines, and
answers /health, /v1/models, /metrics and streaming /v1/chat/completions.

Habits, by environment variables:
    FAKE_START_S        seconds that the start takes (0.2)
    FAKE_CRASH          `import`, `config`, `weights` or `serving`: where it ends by itself
    FAKE_CRASH_AFTER_S  for `serving`: seconds after ready (0.5)
    FAKE_EXIT_CODE      for a crash (1)
    FAKE_ERROR          exception text that the engine core writes before a crash
    FAKE_IGNORE         signals that every process ignores (`SIGINT,SIGTERM`)
    FAKE_STRAY          `session`: a grandchild in a session of its own; `orphan`: one whose parent has ended, too
    FAKE_FLOOD          lines written at once after ready
    FAKE_FLOOD_BYTES    bytes written without a line end after ready
    FAKE_BROKEN_TEXT    write bytes that are no UTF-8
    FAKE_HEALTH         `hang`: never answers /health; `503`: says it is ill; `never`: no server at all
    FAKE_SHARE_PORT     bind with SO_REUSEPORT
    FAKE_TOKENS_PER_S   speed of answers (200)
"""

import argparse
import ctypes
import importlib.metadata
import json
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

WORDS = ["Paris", "is", "the", "capital", "of", "France", "and", "home", "to", "the", "Eiffel", "Tower", "."]
_CONFIG_LINES = (
    "INFO 12-01 02:26:53 [api_utils.py:286] non-default args: {'model': 'fake'}",
    "INFO 12-01 02:26:53 [model.py:733] Resolved architecture: LlamaForCausalLM",
    "INFO 12-01 02:26:53 [model.py:2152] Using max model len 1024",
)
_WEIGHT_LINES = (
    "INFO 12-01 02:27:12 [core.py:133] Initializing a V1 LLM engine (v0.99.0) with config: model='fake'",
    "INFO 12-01 02:27:27 [cpu_model_runner.py:68] Starting to load model fake...",
    "Loading safetensors checkpoint shards:   0% Completed | 0/2 [00:00<?, ?it/s]",
    "Loading safetensors checkpoint shards:  50% Completed | 1/2 [00:00<00:00,  1.47it/s]",
    "INFO 12-01 02:27:28 [default_loader.py:501] Loading weights took 0.69 seconds",
)
_CACHE_LINES = (
    "INFO 12-01 02:27:29 [kv_cache_utils.py:2327] CPU KV cache size: 46,592 tokens, Maximum concurrency: 45.50x",
    "INFO 12-01 02:27:31 [core.py:402] init engine (profile, create kv cache, warmup model) took 2.19 s",
)


def habit(name, default=""):
    return os.environ.get(f"FAKE_{name}", default)


def say(process, text):
    prefix = f"({process} pid={os.getpid()}) " if process else ""
    sys.stdout.buffer.write(f"{prefix}{text}\n".encode())
    sys.stdout.buffer.flush()


def mind_signals():
    for name in filter(None, habit("IGNORE").split(",")):
        signal.signal(getattr(signal, name), signal.SIG_IGN)


def crash(stage, process):
    if habit("CRASH") != stage:
        return
    error = habit("ERROR")
    if error:
        say(process, "ERROR 12-01 02:43:53 [core.py:1330] Traceback (most recent call last):")
        say(process, f"ERROR 12-01 02:43:53 [core.py:1330] {error}")
    os._exit(int(habit("EXIT_CODE", "1")))


def linger(process):
    """What a process of the engine does when nobody tells it anything: hold its memory."""
    if "SIGTERM" not in habit("IGNORE"):
        signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    if "SIGINT" not in habit("IGNORE"):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        time.sleep(60)


def call_process(name):
    """Give the process a name that `ps` shows, as vLLM does."""
    ctypes.CDLL(None).prctl(15, name.encode(), 0, 0, 0)


def worker_process():
    mind_signals()
    call_process("Worker")
    linger("Worker")


def engine_core(ready):
    """The process that holds the memory. It does not notice by itself when its parent is killed."""
    mind_signals()
    call_process("EngineCore")
    pause = float(habit("START_S", "0.2")) / len(_WEIGHT_LINES)
    for line in _WEIGHT_LINES:
        say("EngineCore", line)
        time.sleep(pause)
    crash("weights", "EngineCore")
    context = multiprocessing.get_context("spawn")
    context.Process(target=worker_process, name="Worker", daemon=False).start()
    stray()
    for line in _CACHE_LINES:
        say("EngineCore", line)
    ready.send(True)
    linger("EngineCore")


def stray():
    kind = habit("STRAY")
    if not kind:
        return
    sleeper = [sys.executable, "-c", "import time; time.sleep(600)"]
    if kind == "session":
        subprocess.Popen(sleeper, start_new_session=True)
    else:
        parent = f"import subprocess, sys; subprocess.Popen({sleeper!r}, start_new_session=True)"
        subprocess.run([sys.executable, "-c", parent], check=True)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, text, *values):
        say("", f'INFO:     127.0.0.1:1 - "{text % values}"')

    def do_GET(self):
        if self.path == "/health":
            if habit("HEALTH") == "hang":
                time.sleep(600)
            self.answer(503 if habit("HEALTH") == "503" else 200, "text/plain", b"")
        elif self.path == "/v1/models" and self.may():
            models = {"object": "list", "data": [{"id": self.server.model, "object": "model"}]}
            self.answer(200, "application/json", json.dumps(models).encode())
        elif self.path == "/metrics":
            self.answer(200, "text/plain; version=0.0.4", self.server.metrics().encode())
        elif self.path != "/v1/models":
            self.answer(404, "text/plain", b"")

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/v1/chat/completions":
            self.answer(404, "text/plain", b"")
        elif self.may():
            self.stream(body)

    def may(self):
        key = os.environ.get("VLLM_API_KEY")
        if key and self.headers.get("Authorization") != f"Bearer {key}":
            self.answer(401, "application/json", b'{"error": "Unauthorized"}')
            return False
        return True

    def answer(self, status, kind, body):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def stream(self, body):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        count = int(body.get("max_tokens") or 32)
        prompt = sum(len(message["content"].split()) for message in body["messages"])
        with self.server.one_request(prompt):
            for index in range(count):
                time.sleep(1 / float(habit("TOKENS_PER_S", "200")))
                text = WORDS[index % len(WORDS)] + " "
                self.event({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]})
                self.server.generated += 1
            self.event({"choices": [{"index": 0, "delta": {}, "finish_reason": "length"}]})
            usage = {"prompt_tokens": prompt, "completion_tokens": count, "total_tokens": prompt + count}
            self.event({"choices": [], "usage": usage})
            self.wfile.write(b"data: [DONE]\n\n")

    def event(self, fields):
        fields = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": self.server.model, **fields}
        self.wfile.write(b"data: " + json.dumps(fields).encode() + b"\n\n")
        self.wfile.flush()


class Server(ThreadingHTTPServer):
    daemon_threads = True
    # As vLLM has it where the choice is given; the standard server would set SO_REUSEADDR alone.
    allow_reuse_port = False

    def __init__(self, address, model):
        self.model = model
        self.running = 0
        self.prompted = 0
        self.generated = 0
        self.lock = threading.Lock()
        super().__init__(address, Handler, bind_and_activate=False)
        if habit("SHARE_PORT"):
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        self.server_bind()

    def one_request(self, prompt):
        server = self

        class Counted:
            def __enter__(self):
                with server.lock:
                    server.running += 1
                    server.prompted += prompt

            def __exit__(self, *_):
                with server.lock:
                    server.running -= 1

        return Counted()

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)

    def metrics(self):
        label = f'{{engine="0",model_name="{self.model}"}}'
        return "".join(
            f"# TYPE vllm:{name} {kind}\nvllm:{name}{label} {value}\n"
            for name, kind, value in (
                ("num_requests_running", "gauge", float(self.running)),
                ("num_requests_waiting", "gauge", 0.0),
                ("kv_cache_usage_perc", "gauge", self.running / 10),
                ("prompt_tokens_total", "counter", float(self.prompted)),
                ("generation_tokens_total", "counter", float(self.generated)),
            )
        )


def parse(argv):
    parser = argparse.ArgumentParser(prog="vllm serve")
    parser.add_argument("model_tag")
    parser.add_argument("--host", default="0.0.0.0")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--served-model-name")
    parser.add_argument("--max-model-len")
    parser.add_argument("--shutdown-timeout")
    parser.add_argument("--enforce-eager", action="store_true")
    return parser.parse_args(argv)


def misbehave_after_ready():
    if habit("FLOOD"):
        line = b"INFO 12-01 02:28:24 [x.py:1] " + b"x" * 80 + b"\n"
        for _ in range(int(habit("FLOOD")) // 100):
            sys.stdout.buffer.write(line * 100)
        sys.stdout.buffer.flush()
        say("", "flood over")
    if habit("FLOOD_BYTES"):
        sys.stdout.buffer.write(b"y" * int(habit("FLOOD_BYTES")))
        sys.stdout.buffer.flush()
    if habit("BROKEN_TEXT"):
        sys.stdout.buffer.write(b"caf\xc3 \xff\xfe broken\n")
        sys.stdout.buffer.flush()
    if habit("CRASH") == "serving":
        time.sleep(float(habit("CRASH_AFTER_S", "0.5")))
        crash("serving", "APIServer")


def leave_without(core):
    """The API server ends, and says why, when its engine core has died."""
    core.join()
    say("APIServer", "ERROR 12-01 02:45:16 [async_llm.py:906] vllm.v1.engine.exceptions.EngineDeadError: dead.")
    os._exit(0)


def main():
    mind_signals()
    crash("import", "")
    importlib.metadata.version("vllm")
    arguments = parse(sys.argv[2:])
    for line in _CONFIG_LINES:
        say("APIServer", line)
    crash("config", "APIServer")
    server = None
    if habit("HEALTH") != "never":
        server = Server((arguments.host, arguments.port), arguments.served_model_name or arguments.model_tag)
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    core = context.Process(target=engine_core, args=(sender,), name="EngineCore", daemon=False)
    core.start()
    sender.close()

    def leave(*_):
        say("APIServer", "INFO 12-01 02:28:24 [launcher.py:254] [shutdown] API server: shutdown triggered")
        say("", "INFO:     Application shutdown complete.")
        core.terminate()
        core.join(1)
        os._exit(0)

    for name in ("SIGINT", "SIGTERM"):
        if name not in habit("IGNORE"):
            signal.signal(getattr(signal, name), leave)
    try:
        receiver.recv()
    except EOFError:
        say("APIServer", "Traceback (most recent call last):")
        say("APIServer", "RuntimeError: Engine core initialization failed. See root cause above.")
        return 1
    if server is None:
        linger("APIServer")
    say("APIServer", f"INFO 12-01 02:27:34 [entry.py:140] Starting vLLM server on http://{arguments.host}")
    server.server_activate()
    say("", "INFO:     Application startup complete.")
    threading.Thread(target=misbehave_after_ready, daemon=True).start()
    threading.Thread(target=leave_without, args=(core,), daemon=True).start()
    server.serve_forever()
    return 0
