"""A headless Chromium, driven over its own protocol (DevTools) through a pipe: no driver program and no port is needed.

The messages are JSON with a NUL byte at the end: the browser reads them from file descriptor 3 and writes to 4.
"""

import base64
import contextlib
import json
import os
import pathlib
import queue
import shutil
import subprocess
import tempfile
import threading

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
TIME_LIMIT = 60


def find():
    """The browser's path, or None."""
    wanted = os.environ.get("PTXSCOPE_CHROMIUM")
    for name in (wanted,) if wanted else NAMES:
        if path := shutil.which(name):
            return path
    return None


class Browser:
    """One browser with one tab. `problems`: what it reported as wrong; `requests`: all it asked for."""

    def __init__(self, path, dark=False, width=1440, height=1000):
        self.folder = tempfile.TemporaryDirectory(prefix="ptxscope-page-", ignore_cleanup_errors=True)
        to_read, self.to_write = os.pipe()
        self.to_listen, to_answer = os.pipe()

        def place():  # in the child: our ends of the pipes as 3 and 4
            high = os.dup(to_read), os.dup(to_answer)
            spare = [os.dup(one) for one in high]
            os.dup2(spare[0], 3)
            os.dup2(spare[1], 4)

        self.process = subprocess.Popen(
            [path, "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions", "--disable-background-networking",
             "--disable-component-update", "--disable-sync", "--hide-scrollbars", "--force-color-profile=srgb",
             f"--user-data-dir={self.folder.name}", f"--window-size={width},{height}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False,
            preexec_fn=place)
        os.close(to_read)
        os.close(to_answer)
        self.answers = {}
        self.arrived = threading.Condition()
        self.loaded = queue.Queue()
        self.problems, self.requests = [], []
        self.next = 0
        self.session = None
        threading.Thread(target=self._listen, daemon=True).start()
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.resize(width, height)
        self.color("dark" if dark else "light")

    def _listen(self):
        rest = b""
        while chunk := os.read(self.to_listen, 1 << 20):
            *messages, rest = (rest + chunk).split(b"\0")
            for message in map(json.loads, messages):
                self._take(message)
        with self.arrived:
            self.answers["end"] = True
            self.arrived.notify_all()

    def _take(self, message):
        method, given = message.get("method"), message.get("params", {})
        if "id" in message:
            with self.arrived:
                self.answers[message["id"]] = message
                self.arrived.notify_all()
        elif method == "Page.loadEventFired":
            self.loaded.put(True)
        elif method == "Runtime.exceptionThrown":
            detail = given["exceptionDetails"]
            self.problems.append(detail.get("exception", {}).get("description") or detail["text"])
        elif method == "Runtime.consoleAPICalled" and given["type"] in ("error", "warning", "assert"):
            self.problems.append(" ".join(str(one.get("value", one.get("description"))) for one in given["args"]))
        elif method == "Log.entryAdded" and given["entry"]["level"] in ("error", "warning"):
            self.problems.append(given["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(given["request"]["url"][:200])
        elif method == "Page.javascriptDialogOpening":
            self.problems.append("a dialog opened: " + given.get("message", ""))

    def call(self, method, **given):
        self.next += 1
        message = {"id": self.next, "method": method, "params": given}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to_write, data):]
        number = self.next
        with self.arrived:
            if not self.arrived.wait_for(lambda: number in self.answers or "end" in self.answers, TIME_LIMIT):
                raise TimeoutError(f"{method}: no answer after {TIME_LIMIT} s")
            answer = self.answers.pop(number, None)
        if answer is None:
            raise RuntimeError(f"{method}: the browser ended")
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def open(self, path, place=""):
        self.call("Page.navigate", url="about:blank")
        self.loaded.get(timeout=TIME_LIMIT)
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri() + place)
        self.loaded.get(timeout=TIME_LIMIT)

    def run(self, script):
        """The value of an expression, or of the body of a function with `return`; awaited where it is a promise."""
        if "return" in script:
            script = "(async () => {" + script + "})()"
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", "?"))
        return answer["result"].get("value")

    def press(self, key):
        text = key if len(key) == 1 else {"Enter": "\r"}.get(key, "")
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=text,
                  windowsVirtualKeyCode={"Enter": 13, "Tab": 9, "Escape": 27, "ArrowDown": 40, "ArrowUp": 38}.get(key, 0))
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def _middle(self, selector):
        box = self.run(f"""const node = document.querySelector({json.dumps(selector)});
            if (!node) return null;
            node.scrollIntoView({{block: 'center', behavior: 'instant'}});
            await new Promise((go) => setTimeout(go, 60));
            const box = node.getBoundingClientRect();
            return [box.left + Math.min(box.width, 200) / 2, box.top + box.height / 2];""")
        if box is None:
            raise RuntimeError(f"nothing on the page is {selector}")
        return {"x": box[0], "y": box[1]}

    def hover(self, selector):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", **self._middle(selector))

    def click(self, selector):
        place = self._middle(selector)
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, button="left" if kind != "mouseMoved" else "none",
                      clickCount=1, **place)

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def color(self, scheme, media=""):
        self.call("Emulation.setEmulatedMedia", media=media, features=[
            {"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": "reduce"}])

    def picture(self, path, whole=False):
        pathlib.Path(path).write_bytes(base64.b64decode(
            self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]))

    def print(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(
            self.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"]))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(Exception):
            self.session = None
            self.call("Browser.close")
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.folder.cleanup()
