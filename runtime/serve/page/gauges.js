/*
 * gauges - what the server does now, and did in the last minutes.
 */
import { ask, askJson } from "./api.js";
import { Chart } from "./chart.js";
import { byId, bytesText, element, timeText } from "./dom.js";
import { parse, quantiles, total } from "./metrics.js";

const EVERY_MS = 3000; /* a look is a request, of which a key may have so many a minute */
const COUNT = 100; /* looks that are remembered: five minutes */
const WINDOW = 4; /* looks that a quantile is about */
const RUNS = "code_interpreter_execution_duration_seconds";
const WAITS = "code_interpreter_admission_wait_seconds";

const looks = [];
const numbers = {};

function milliseconds(value) {
  return timeText(value);
}

function rate(value) {
  return `${value < 10 ? Math.round(value * 10) / 10 : Math.round(value)}/s`;
}

const charts = [
  { chart: new Chart("Time of a run", ["median", "p99"], milliseconds, 10, COUNT), of: (look) => look.runs },
  { chart: new Chart("Wait for a place", ["median", "p99"], milliseconds, 10, COUNT), of: (look) => look.waits },
  { chart: new Chart("Runs a second", [""], rate, 1, COUNT), of: (look) => [look.rate] },
  { chart: new Chart("Running and waiting", ["running", "waiting"], String, 2, COUNT), of: (look) => [look.running, look.waiting] },
];

/* -- numbers --------------------------------------------------------------------------------- */

function say(name, text, title) {
  if (!numbers[name]) {
    numbers[name] = element("dd");
    byId("numbers").append(element("div", { title }, element("dt", {}, name), numbers[name]));
  }
  numbers[name].textContent = text;
}

function plain(value) {
  return value === null ? "–" : String(value);
}

function ofMost(value, most) {
  return most === null ? plain(value) : `${plain(value)} / ${most}`;
}

function sayAll(samples, look) {
  const restarts = total(samples, "glovebox_nursery_restarts_total");
  const memory = total(samples, "process_resident_memory_bytes");
  say("Running", ofMost(look.running, total(samples, "code_interpreter_executions_limit")), "Executions that have a place, and how many there are");
  say("Waiting", plain(look.waiting), "Executions that wait for a place");
  say("Cells ready", ofMost(total(samples, "glovebox_pool_ready"), total(samples, "glovebox_pool_size")), "Sandboxes that wait for a program");
  say("Sessions", plain(total(samples, "glovebox_sessions")), "Of all keys");
  say("Done", plain(look.done), "Executions since the server began");
  say("Refused", plain(total(samples, "code_interpreter_executions_rejected_total")), "429, 503");
  say("Nursery restarts", plain(restarts), "The warm Python had to be made anew");
  say("Server's memory", memory === null ? "–" : bytesText(memory), "Resident, without the sandboxes");
}

/* -- looks ----------------------------------------------------------------------------------- */

function inMilliseconds(values) {
  return values.map((value) => (value === null ? null : value * 1000));
}

function look(samples, now) {
  const first = looks.at(-WINDOW) ?? looks[0];
  const one = {
    now,
    samples,
    running: total(samples, "glovebox_runs_running") ?? total(samples, "code_interpreter_executions_active"),
    waiting: total(samples, "glovebox_runs_waiting"),
    done: total(samples, "code_interpreter_executions_completed_total"),
  };
  const isOfOneLife = first && first.done <= one.done;
  one.runs = isOfOneLife ? inMilliseconds(quantiles(first.samples, samples, RUNS, [0.5, 0.99])) : [null, null];
  one.waits = isOfOneLife ? inMilliseconds(quantiles(first.samples, samples, WAITS, [0.5, 0.99])) : [null, null];
  one.rate = isOfOneLife ? (one.done - first.done) / ((now - first.now) / 1000) : null;
  return one;
}

function showCharts() {
  for (const { chart, of } of charts) {
    const lines = looks.map(of);
    chart.show(chart.lines.map((_, i) => lines.map((values) => values[i])));
  }
}

async function takeMetrics() {
  const samples = parse(await (await ask("GET", "metrics", { quietly: true })).text());
  const one = look(samples, performance.now());
  looks.push(one);
  if (looks.length > COUNT)
    looks.shift();
  for (const old of looks.slice(0, -WINDOW))
    old.samples = null;
  sayAll(samples, one);
  showCharts();
}

async function takeHealth() {
  const health = await askJson("GET", "health");
  byId("version").textContent = health.glovebox_version;
  byId("state").textContent = health.status === "ok" ? "ready" : health.message;
  byId("state").dataset.state = health.status;
}

/* Look now, and again and again while somebody sees it. */
export async function watch() {
  for (;;) {
    let pause = EVERY_MS;
    try {
      await takeHealth();
    } catch {
      byId("state").textContent = "the server does not answer";
      byId("state").dataset.state = "error";
    }
    try {
      await takeMetrics();
    } catch (error) {
      pause = Math.max(pause, (error.retryAfter ?? 0) * 1000);
    }
    byId("charts").hidden = byId("numbers").hidden = !looks.length;
    await new Promise((wake) => setTimeout(wake, pause));
    while (document.hidden)
      await new Promise((wake) => document.addEventListener("visibilitychange", wake, { once: true }));
  }
}

export function drawGauges() {
  byId("charts").append(...charts.map(({ chart }) => chart.node));
}
