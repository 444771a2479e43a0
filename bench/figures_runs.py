"""Runs of the commands of bench/figures, for bench/figures.py."""

import concurrent.futures
import dataclasses
import hashlib
import json
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time

from figures_entries import ROOT, Figure, Mistake, Row, expand, placed, slug


@dataclasses.dataclass
class Run:
    """Commands of a row with a seed, in a folder."""
    figure: Figure
    row: Row
    seed: int
    folder: pathlib.Path

    def __str__(self):
        own = "" if self.row.name == self.figure.what else f", {self.row.name}"
        return f"{self.figure.name}{own}, seed {self.seed}"


def write_whole(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    made = path.with_name(path.name + ".new")
    with open(made, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    made.replace(path)


class Runner:
    """Runs commands by bash, one per calling thread. result.json of each folder records the
    finished commands and their output."""

    def __init__(self, heed, data, out, threads, again):
        self.out = out
        self.data = data
        self.build = hashlib.sha256(heed.read_bytes()).hexdigest()[:16]
        self.again = again
        self.other_builds = set()
        self.children = set()
        self.fresh = set()  # folders of this run
        self.stopped = False
        self.guard = threading.Lock()
        self.locks = {}
        # Repeated commands find their earlier output. The number of threads is
        # --threads.
        self.heed = out / "heed"
        out.mkdir(parents=True, exist_ok=True)
        write_whole(self.heed, f"""#!/bin/bash
heed={shlex.quote(str(heed))}
more=()
if [[ " $* " != *" --threads "* ]] && "$heed" "$@" --help 2> /dev/null | grep -q -e --threads; then
  more+=(--threads {threads})
fi
[[ $1 != train || " $* " == *" --overwrite "* ]] || more+=(--overwrite)
exec "$heed" "$@" "${{more[@]}}"
""")
        self.heed.chmod(0o755)

    def stop(self):
        with self.guard:
            self.stopped = True
            for child in self.children:
                try:
                    os.killpg(child.pid, signal.SIGTERM)
                except ProcessLookupError:
                    pass

    def shell(self, command):
        with self.guard:
            if self.stopped:
                raise KeyboardInterrupt
            child = subprocess.Popen(["bash", "-euo", "pipefail", "-c", command], stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE, text=True, errors="replace",
                                     stdin=subprocess.DEVNULL, start_new_session=True,
                                     env=dict(os.environ, NO_COLOR="1", COLUMNS="200", LC_ALL="C.UTF-8"))
            self.children.add(child)
        try:
            output, errors = child.communicate()
        finally:
            with self.guard:
                self.children.discard(child)
        if self.stopped:
            raise KeyboardInterrupt
        if child.returncode != 0:
            last = "\n    ".join((errors.strip() or output.strip()).splitlines()[-6:])
            raise Mistake(f"status {child.returncode} of\n    {command}\n    {last}")
        return output

    def commands(self, folder, commands, places):
        """Returns the outputs by name; finished commands are not repeated. Commands needed by
        several callers run once."""
        with self.guard:
            lock = self.locks.setdefault(folder, threading.Lock())
        with lock:
            outputs = self.commands_alone(folder, commands, places)
            self.fresh.add(folder)
            return outputs

    def commands_alone(self, folder, commands, places):
        state = folder / "result.json"
        past = {}
        if state.exists() and (not self.again or folder in self.fresh):
            past = json.loads(state.read_text(encoding="utf-8"))
        outputs, seconds, fresh = {}, {}, False
        work = folder / "work"
        if not past.get("outputs"):
            shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True, exist_ok=True)
        for name, command in commands.items():
            if not fresh and past.get("commands", {}).get(name) == command and name in past["outputs"]:
                outputs[name], seconds[name] = past["outputs"][name], past["seconds"][name]
                if past["build"] != self.build:
                    self.other_builds.add(folder)
                continue
            fresh = True
            begin = time.monotonic()
            outputs[name] = self.shell(placed(command, places | {"out": work}))
            seconds[name] = round(time.monotonic() - begin, 2)
            write_whole(state, json.dumps({"build": self.build, "commands": commands, "outputs": outputs,
                                           "seconds": seconds}, indent=1))
        return outputs

    def prepare(self, figure):
        folder = self.out / slug(figure.name) / "shared"
        if figure.prepare:
            self.commands(folder, {"prepare": figure.prepare}, self.places(folder))
        return folder / "work"

    def places(self, shared):
        return {"heed": self.heed, "data": self.data, "shared": shared, "bench": ROOT / "bench", "out": ""}

    def run(self, run):
        shared = self.prepare(run.figure)
        commands = {name: expand("", command, run.row, run.seed) for name, command in run.figure.commands.items()}
        outputs = self.commands(run.folder, commands, self.places(shared))
        return {name: value.read(outputs, run.row.fields) for name, value in run.figure.values.items()
                if name in run.row.values}


class Progress:
    """Prints progress on standard error: finished runs, their time, and the remaining time. The
    estimate is the listed minutes, scaled by the speed so far."""

    def __init__(self, runs, jobs):
        self.left = sum({run.folder: run.row.minutes for run in runs}.values())
        self.folders = set()
        self.count, self.done, self.jobs = len(runs), 0, jobs
        self.begin = time.monotonic()
        self.listed = self.took = 0.0
        self.guard = threading.Lock()

    def say(self, run, seconds, what=""):
        with self.guard:
            self.done += 1
            first = run.folder not in self.folders
            self.folders.add(run.folder)
            self.left -= run.row.minutes * first
            if seconds > 0.5 and first:
                self.listed += run.row.minutes
                self.took += seconds / 60
            left = self.left / self.jobs * (self.took / self.listed if self.listed else 1)
            print(f"[{self.done}/{self.count}] {run}: {what or duration(seconds / 60)}; "
                  f"{duration((time.monotonic() - self.begin) / 60)} so far, about {duration(left)} left",
                  file=sys.stderr, flush=True)


def duration(minutes):
    seconds = round(max(minutes, 0) * 60)
    if seconds < 100:
        return f"{seconds} s"
    return f"{seconds // 60} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def measure(runner, runs, jobs):
    """Returns, for each run, its values or an error message."""
    results = {}
    progress = Progress(runs, jobs)

    def one(run):
        begin = time.monotonic()
        try:
            values, problem = runner.run(run), ""
        except (Mistake, json.JSONDecodeError) as error:
            values, problem = None, str(error)
        progress.say(run, time.monotonic() - begin, "failed" if problem else "")
        return values if values is not None else problem

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        asked = {pool.submit(one, run): run for run in runs}
        try:
            for future in concurrent.futures.as_completed(asked):
                run = asked[future]
                results[run.figure.name, run.row.name, run.seed] = future.result()
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            runner.stop()
            raise
    return results
