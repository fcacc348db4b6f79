/*
 * api - requests to this server, with the key that a person has given for this tab.
 */
const STORED = "glovebox-key";

/* What the server answered when it refused. */
export class Refused extends Error {
  constructor(status, text, retryAfter) {
    super(text);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

/* Called when a request was refused for want of a key. */
export const wanting = { key: () => {} };

export function knownKey() {
  return sessionStorage.getItem(STORED) ?? "";
}

export function keepKey(key) {
  if (key)
    sessionStorage.setItem(STORED, key);
  else
    sessionStorage.removeItem(STORED);
}

/* "body.timeout_ms: Input should be ..." */
function mistakes(detail) {
  return detail.map((one) => `${one.loc.join(".")}: ${one.msg}`).join("; ");
}

async function refusal(reply) {
  let detail;
  try {
    detail = (await reply.json()).detail;
  } catch {
    detail = undefined;
  }
  const text = Array.isArray(detail) ? mistakes(detail) : (detail ?? `the server answered ${reply.status}`);
  return new Refused(reply.status, text, Number(reply.headers.get("Retry-After")) || 0);
}

/* A whole reply, or an exception: Refused, or that nobody answered. */
export async function ask(method, path, { json, body, signal, quietly } = {}) {
  const headers = {};
  const key = knownKey();
  if (key)
    headers.Authorization = `Bearer ${key}`;
  if (json !== undefined)
    headers["Content-Type"] = "application/json";
  const reply = await fetch(path, {
    method,
    headers,
    body: json !== undefined ? JSON.stringify(json) : body,
    signal,
    cache: "no-store",
    credentials: "omit",
    redirect: "error",
  });
  if (reply.ok)
    return reply;
  if (reply.status === 401 && !quietly && key === knownKey())
    wanting.key();
  throw await refusal(reply);
}

export async function askJson(method, path, options) {
  return (await ask(method, path, options)).json();
}

function eventOf(frame) {
  const event = { name: "message", data: "" };
  for (const line of frame.split("\n")) {
    if (line.startsWith("event: "))
      event.name = line.slice(7);
    else if (line.startsWith("data: "))
      event.data += line.slice(6);
  }
  return event;
}

/* Server-sent events, each as {name, data}, as they come. It ends when the server has said all. */
export async function* events(path, json, signal) {
  const reply = await ask("POST", path, { json, signal });
  const decoder = new TextDecoder();
  const reader = reply.body.getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done)
      return;
    text += decoder.decode(value, { stream: true });
    for (let end; (end = text.indexOf("\n\n")) >= 0; text = text.slice(end + 2)) {
      const event = eventOf(text.slice(0, end));
      if (event.data)
        yield { name: event.name, data: JSON.parse(event.data) };
    }
  }
}
