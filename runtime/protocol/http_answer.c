/*
 * http_answer - read the status of a server's first final answer (HTTP/1.x).
 */
#include "protocol/http_answer.h"

#define SWITCHED     101
#define FINAL_STATUS 200
#define STATUS_AT    9  /* in "HTTP/1.1 200 OK" */
#define STATUS_END   12 /* a space, or the end of the line */

static void http_answer_refuse(struct answer_reader *r, const char *why)
{
	r->status = -1;
	r->why = why;
}

/* Check one byte of a status line. The reason phrase behind the status is free text. */
static bool http_answer_fits(struct answer_reader *r, uint8_t byte)
{
	static const char start[] = "HTTP/1.";
	size_t at = r->line;

	if (at < sizeof(start) - 1)
		return byte == (uint8_t)start[at];
	if (at == sizeof(start) - 1)
		return byte == '0' || byte == '1';
	if (at == STATUS_AT - 1 || at == STATUS_END)
		return byte == ' ';
	if (at > STATUS_END)
		return true;
	r->digits = 10 * r->digits + (byte - '0');
	return byte >= '0' && byte <= '9';
}

/* End a line: the status line, a field, or the empty line after the fields. */
static void http_answer_end_line(struct answer_reader *r)
{
	if (r->is_field) {
		if (!r->line) { /* an empty line ends an interim answer */
			r->is_field = false;
			r->digits = 0;
		}
	} else if (r->line < STATUS_END || r->digits < 100) {
		http_answer_refuse(r, "not an answer of HTTP");
	} else if (r->digits == SWITCHED || r->digits >= FINAL_STATUS) {
		r->status = r->digits;
	} else {
		r->is_field = true;
	}
	r->line = 0;
}

static void http_answer_byte(struct answer_reader *r, uint8_t byte)
{
	if (++r->taken > HTTP_ANSWER_MAX) {
		http_answer_refuse(r, "answers without an end");
	} else if ((byte == '\n') != r->has_cr) {
		http_answer_refuse(r, "an answer whose lines do not end with CRLF");
	} else if (byte == '\r') {
		r->has_cr = true;
	} else if (byte == '\n') {
		r->has_cr = false;
		http_answer_end_line(r);
	} else if (!r->is_field && !http_answer_fits(r, byte)) {
		http_answer_refuse(r, "not an answer of HTTP");
	} else {
		r->line++;
	}
}

int answer_feed(struct answer_reader *reader, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size && !reader->status; i++)
		http_answer_byte(reader, bytes[i]);
	return reader->status;
}
