"""pip install openai standardwebhooks, then SIGNING_SECRET=whsec_… python agent.py"""
import json, os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from openai import OpenAI
from standardwebhooks import Webhook

webhook = Webhook(os.environ["SIGNING_SECRET"])
own = os.environ.get("OPENAI_API_KEY")

class Agent(BaseHTTPRequestHandler):
    def say(self, line):
        # Fails once the platform has hung up, which it does when the run is over.
        self.wfile.write(json.dumps(line).encode() + b"\n")

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        try:
            order = webhook.verify(body, {name.lower(): value for name, value in self.headers.items()})
        except Exception:
            return self.send_error(401)
        self.send_response(200)
        self.send_header("content-type", "application/x-ndjson")
        self.end_headers()
        gateway = order["gateway"]
        if not own and gateway is None:
            return self.say({"type": "fail", "error": "There is no gateway: BASE_URL is not set"})
        # With a key of its own it calls OpenAI itself and reports what that used; else the gateway counts.
        client = OpenAI() if own else OpenAI(api_key=gateway["token"], base_url=gateway["base_url"])
        model = order["model"].replace("openai/", "") if own else order["model"]
        said = [{"role": "assistant" if one["role"] == "agent" else "user", "content": one["text"]} for one in order["history"]]
        messages = said + [{"role": "user", "content": order["message"]}]
        text = ""
        try:
            options = {"include_usage": True}
            for chunk in client.chat.completions.create(model=model, messages=messages, stream=True, stream_options=options):
                piece = chunk.choices[0].delta.content if chunk.choices else None
                if piece:
                    text += piece
                    self.say({"type": "message.delta", "text": piece})
                if own and chunk.usage:
                    self.say({"type": "usage", "provider": "openai", "model": model,
                              "input_tokens": chunk.usage.prompt_tokens, "output_tokens": chunk.usage.completion_tokens})
            pauses = order["question"] is None
            self.say({"type": "pause", "message": f"{text} Shall I?"} if pauses else {"type": "result", "result": text, "message": text})
        except OSError:
            raise
        except Exception as error:
            self.say({"type": "fail", "error": str(error)})

ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "9000"))), Agent).serve_forever()
