/*
 * docs - shows the OpenAPI document of this server.
 */
import { byId, element } from "./dom.js";

const METHODS = ["get", "put", "post", "patch", "delete"];
let api;

/* -- the document ---------------------------------------------------------------------------- */

/* What a "$ref" leads to, and the last part of its name. */
function followed(node) {
  if (!node?.$ref)
    return [node, ""];
  const path = node.$ref.replace("#/", "").split("/");
  return [path.reduce((at, name) => at[name], api), path.at(-1)];
}

function operations() {
  const all = [];
  for (const [path, item] of Object.entries(api.paths)) {
    for (const method of METHODS) {
      if (item[method])
        all.push({ path, method, ...item[method], parameters: [...(item.parameters ?? []), ...(item[method].parameters ?? [])] });
    }
  }
  return all;
}

/* -- pieces of text -------------------------------------------------------------------------- */

/* `code` between words. */
function prose(text) {
  return (text ?? "").split("`").map((part, i) => (i % 2 ? element("code", {}, part) : part));
}

/* A path, which may go on in a new line before each slash. */
function breakable(path) {
  return path.split(/(?=\/)/).map((part, i) => (i ? [element("wbr"), part] : part));
}

function paragraphs(text) {
  return (text ?? "").split("\n\n").filter(Boolean).map((part) => element("p", {}, prose(part)));
}

function example(value) {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 1).replace(/\n\s*/g, " ");
  return element("pre.example", {}, text.trimEnd());
}

function link(name) {
  return element("a.type", { href: `#schema-${name}` }, name);
}

/* -- schemas --------------------------------------------------------------------------------- */

/* The type of a member, in as few words as possible: elements and texts. */
function typeWords(schema) {
  if (!schema || !Object.keys(schema).some((key) => key !== "description"))
    return ["anything"];
  if (schema.$ref)
    return [link(followed(schema)[1])];
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices)
    return choices.flatMap((one, i) => (i ? [" or ", ...typeWords(one)] : typeWords(one)));
  if (schema.enum)
    return [schema.enum.map((value) => JSON.stringify(value)).join(" | ")];
  if (schema.type === "array")
    return ["list of ", ...typeWords(schema.items)];
  const type = [schema.type ?? "anything"].flat().join(" or ");
  return [schema.format ? `${type} (${schema.format})` : type];
}

function bounds(schema) {
  const words = [];
  if (schema.default !== undefined)
    words.push(`default ${JSON.stringify(schema.default)}`);
  if (schema.minimum !== undefined)
    words.push(`at least ${schema.minimum}`);
  if (schema.maximum !== undefined)
    words.push(`at most ${schema.maximum}`);
  if (schema.maxItems !== undefined)
    words.push(`at most ${schema.maxItems}`);
  return words.join(", ");
}

function row(name, required, schema, description) {
  const more = bounds(schema);
  return element(
    "tr", {},
    element("th", { scope: "row" }, element("code", {}, name), required ? element("span.required", { title: "required" }, " *") : null),
    element("td.type", {}, typeWords(schema), more ? element("span.bounds", {}, more) : null),
    element("td", {}, prose(description ?? schema.description)),
  );
}

function table(caption, rows) {
  const head = ["name", "type", "what it is"].map((word) => element("th", { scope: "col" }, word));
  return element(
    "div.scrolls", { tabindex: 0, role: "region", "aria-label": caption },
    element("table", {}, element("caption.hidden", {}, caption), element("thead", {}, element("tr", {}, head)), element("tbody", {}, rows)),
  );
}

function members(schema, caption) {
  const required = new Set(schema.required ?? []);
  const rows = Object.entries(schema.properties ?? {});
  if (!rows.length)
    return element("p.type", {}, typeWords(schema));
  return table(caption, rows.map(([name, member]) => row(name, required.has(name), member)));
}

/* -- operations ------------------------------------------------------------------------------ */

function curl({ method, path, requestBody, security }) {
  const words = ["curl"];
  const [body] = followed(requestBody);
  if (method !== "get")
    words.push(`-X ${method.toUpperCase()}`);
  if (!security)
    words.push('-H "Authorization: Bearer $KEY"');
  if (body?.content["multipart/form-data"])
    words.push("-F file=@data.csv");
  else if (body?.content["application/json"])
    words.push("--json '" + JSON.stringify(body.content["application/json"].example ?? {}) + "'");
  else if (body)
    words.push("--data-binary @data.csv");
  if (path.endsWith("/stream") || path.endsWith("/{path}"))
    words.splice(1, 0, "-N");
  words.push(new URL(path.replace(/^\//, ""), document.baseURI).href.replace(/%7B(\w+)%7D/g, "{$1}"));
  return example(words.join(" \\\n     "));
}

function content(types, label) {
  return Object.entries(types ?? {}).flatMap(([type, { schema, example: shown, "x-events": events }]) => {
    const [found, name] = followed(schema);
    const parts = [element("p.media", {}, element("code", {}, type), name ? [" ", link(name)] : null)];
    if (events)
      parts.push(table(`${label}: events`, Object.entries(events).map(([event, data]) => row(event, false, data, followed(data)[0].description))));
    else if (found?.properties && !name)
      parts.push(members(found, label));
    if (shown !== undefined)
      parts.push(example(shown));
    return parts;
  });
}

function responses(operation) {
  return Object.entries(operation.responses).map(([status, node]) => {
    const [response, name] = followed(node);
    const headers = Object.keys(response.headers ?? {});
    return element(
      "li", {},
      element(`span.status.of-${status[0]}`, {}, status),
      element(
        "div", {},
        element("p", {}, prose(response.description), headers.length ? [" With ", element("code", {}, headers.join(", ")), "."] : null),
        name ? null : content(response.content, `${operation.operationId} ${status}`),
      ),
    );
  });
}

function parameters(operation) {
  if (!operation.parameters.length)
    return null;
  const rows = operation.parameters.map((node) => followed(node)[0]).map((one) => row(one.name, one.required, one.schema, `${one.description ?? ""} (${one.in})`));
  return [element("h4", {}, "Parameters"), table(`${operation.operationId}: parameters`, rows)];
}

function operation(one) {
  const [body, shared] = followed(one.requestBody);
  return element(
    "section.operation", { id: one.operationId, "aria-labelledby": `${one.operationId}-title` },
    element(
      "h3", { id: `${one.operationId}-title` },
      element(`span.method.${one.method}`, {}, one.method.toUpperCase()), " ", element("code", {}, one.path),
      one.security ? element("span.note", {}, "no key needed") : null,
    ),
    element("p.summary", {}, one.summary),
    paragraphs(one.description),
    parameters(one),
    body ? [element("h4", {}, "Body"), paragraphs(body.description), content(body.content, `${one.operationId}: body`)] : null,
    element("h4", {}, "Answers"),
    element("ul.answers", {}, responses(one)),
    element("h4", {}, "With curl"),
    curl(one),
  );
}

/* -- the page -------------------------------------------------------------------------------- */

function drawContents(all) {
  const groups = api.tags.map((tag) => [tag.name, all.filter((one) => one.tags[0] === tag.name)]);
  const item = (href, children) => element("li", {}, element("a", { href }, children));
  byId("contents").append(
    ...groups.map(([name, members]) => [
      element("h2", {}, name),
      element("ul", {}, members.map((one) => item(`#${one.operationId}`, [element(`span.method.${one.method}`, {}, one.method.toUpperCase()), element("span.path", {}, breakable(one.path))]))),
    ]).flat(),
    element("h2", {}, "schemas"),
    element("ul", {}, Object.keys(api.components.schemas).map((name) => item(`#schema-${name}`, [element("span.path", {}, name)]))),
  );
}

function draw() {
  const all = operations();
  const main = byId("main");
  byId("version").textContent = api.info.version;
  main.append(element("h1", {}, `${api.info.title}: ${api.info.summary}`), ...paragraphs(api.info.description));
  main.append(element("h2", {}, "Keys"), ...Object.values(api.components.securitySchemes).flatMap((scheme) => paragraphs(scheme.description)), example("Authorization: Bearer gbx_..."));
  for (const tag of api.tags) {
    main.append(element("h2", { id: `tag-${tag.name}` }, tag.name), ...paragraphs(tag.description));
    main.append(...all.filter((one) => one.tags[0] === tag.name).map(operation));
  }
  main.append(element("h2", {}, "Schemas"));
  for (const [name, schema] of Object.entries(api.components.schemas)) {
    main.append(element("section.schema", { id: `schema-${name}` }, element("h3", {}, element("code", {}, name)), ...paragraphs(schema.description), members(schema, name)));
  }
  drawContents(all);
  main.dataset.drawn = "true";
  if (location.hash)
    byId(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView({ behavior: "instant" });
}

async function begin() {
  try {
    const reply = await fetch("openapi.json");
    if (!reply.ok)
      throw new Error(`it answered ${reply.status}`);
    api = await reply.json();
    draw();
  } catch (error) {
    byId("main").append(element("p.bad", { role: "alert" }, `openapi.json cannot be shown: ${error.message}`));
  }
}

begin();
