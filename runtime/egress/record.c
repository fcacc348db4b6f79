/*
 * record - record what a sandbox reached and was refused: a log of JSON lines, and a summary.
 */
#include "egress/record.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json_put.h"
#include "loop/clock.h"
#include "netpolicy/egress_summary.h"

static void record_put_address(struct buf *out, const char *key, const struct address *a)
{
	char text[ADDRESS_TEXT_SIZE];

	if (!a)
		return;
	address_text(a, text);
	json_put_text(out, key, text);
}

static void record_line(const struct record *r, const struct record_entry *entry, struct buf *out)
{
	char now[CLOCK_UTC_SIZE];

	clock_utc_ms(now);
	json_put_begin(out, NULL, '{');
	json_put_text(out, "time", now);
	json_put_text(out, "sandbox", r->sandbox);
	json_put_text(out, "what", entry->what);
	if (entry->name)
		json_put_text(out, "name", entry->name);
	record_put_address(out, "asked", entry->inner);
	record_put_address(out, "address", entry->outer);
	record_put_address(out, "proxy", entry->proxy);
	json_put_uint(out, "port", entry->port);
	json_put_uint(out, "bytes_out", entry->bytes_out);
	json_put_uint(out, "bytes_in", entry->bytes_in);
	json_put_text(out, "verdict", entry->is_refused ? "refused" : "allowed");
	if (entry->reason)
		json_put_text(out, "reason", entry->reason);
	json_put_end(out, '}');
	buf_text(out, "\n");
}

/* If the disk is full, stop logging and mark the summary, but do not end the connections. */
static void record_put_line(struct record *r, const struct buf *line)
{
	if (write(r->log, line->data, line->length) != (ssize_t)line->length)
		r->log_truncated = r->log_is_full = true;
	r->log_used += line->length;
}

/*
 * Refusals cost a program nothing and could crowd out the connections it made, so they get half of
 * the log. The first line that does not fit ends that half, or the log: every line in it is
 * complete.
 */
static void record_write(struct record *r, const struct record_entry *entry)
{
	static const char cut[] = "{\"what\":\"log_truncated\"}\n";
	auto_buf struct buf line = {0};

	if (r->log < 0 || r->log_is_full || (entry->is_refused && r->refusals_are_full))
		return;
	record_line(r, entry, &line);
	if (entry->is_refused && r->log_refused + line.length > r->log_bytes / 2) {
		r->log_truncated = r->refusals_are_full = true;
		return;
	}
	if (r->log_used + line.length + sizeof(cut) - 1 > r->log_bytes) {
		r->log_truncated = r->log_is_full = true;
		buf_cut(&line, 0);
		buf_text(&line, cut);
	} else if (entry->is_refused) {
		r->log_refused += line.length;
	}
	record_put_line(r, &line);
}

static void record_name(struct record *r, const char *name)
{
	for (size_t i = 0; i < r->name_count; i++) {
		if (!strcmp(r->names[i], name))
			return;
	}
	if (r->name_count == RECORD_MAX_NAMES)
		return;
	snprintf(r->names[r->name_count++], HOST_NAME_SIZE, "%s", name);
}

/* Count refusals by name, port and reason. A lookup of a name has no port. */
static void record_refusal(struct record *r, const struct record_entry *entry)
{
	struct record_refusal new = {.reason = entry->reason};

	if (strcmp(entry->what, "query") != 0)
		new.port = entry->port;
	if (entry->name)
		snprintf(new.name, sizeof(new.name), "%s", entry->name);
	else if (entry->inner)
		address_text(entry->inner, new.name);
	else
		snprintf(new.name, sizeof(new.name), "%s", entry->what);
	for (size_t i = 0; i < r->refusal_count; i++) {
		const struct record_refusal *there = &r->refusals[i];

		if (there->port == new.port && there->reason == new.reason &&
		    !strcmp(there->name, new.name))
			return;
	}
	if (r->refusal_count < RECORD_MAX_NAMES)
		r->refusals[r->refusal_count++] = new;
}

void record_add(struct record *r, const struct record_entry *entry)
{
	bool is_query = !strcmp(entry->what, "query");

	r->counters.queries += is_query;
	r->counters.connections += !is_query;
	r->counters.refused += entry->is_refused;
	r->counters.bytes_out += entry->bytes_out;
	r->counters.bytes_in += entry->bytes_in;
	if (entry->is_refused && entry->name)
		record_name(r, entry->name);
	if (entry->is_refused && entry->reason)
		record_refusal(r, entry);
	if (!is_query || entry->is_refused)
		record_write(r, entry);
}

static void record_put_refusals(const struct record *r, struct buf *out)
{
	json_put_begin(out, "refusals", '[');
	for (size_t i = 0; i < r->refusal_count; i++) {
		const struct record_refusal *one = &r->refusals[i];

		egress_refusal_write(one->name, one->port, one->reason, out);
	}
	json_put_end(out, ']');
}

void record_put(const struct record *r, struct buf *out, const char *key)
{
	json_put_begin(out, key, '{');
	egress_counters_write(&r->counters, out);
	json_put_begin(out, "refused_names", '[');
	for (size_t i = 0; i < r->name_count; i++)
		json_put_text(out, NULL, r->names[i]);
	json_put_end(out, ']');
	record_put_refusals(r, out);
	json_put_bool(out, "log_truncated", r->log_truncated);
	json_put_end(out, '}');
}
