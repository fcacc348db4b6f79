/*
 * fuzz_head - a head that is accepted is clean and has one meaning, and the chunks behind it are
 * the same however they were cut.
 */
#include "fuzz.h"

#include "web/chunks.h"
#include "web/head.h"

static char *copy_of(const void *bytes, size_t length)
{
	char *copy = malloc(length ? length : 1);

	MUST(copy);
	memcpy(copy, bytes, length);
	return copy;
}

/* At once, and byte by byte. */
static size_t find_end(const char *bytes, size_t length)
{
	size_t seen = 0;
	size_t end = head_size(bytes, length, &seen);
	size_t found = 0;

	MUST(end <= length);
	seen = 0;
	for (size_t there = 0; there <= length && !found; there++) {
		found = head_size(bytes, there, &seen);
		MUST(!found || found == there);
	}
	MUST(found == end);
	return end;
}

static void check_text(const char *text, const char *evil)
{
	for (const char *p = text; *p; p++)
		MUST(((unsigned char)*p >= ' ' || *p == '\t') && *p != 0x7f);
	MUST(!text[strcspn(text, evil)]);
}

static void check_good(const struct head *head)
{
	static const char *const singles[] = {"Host", "Content-Length", "Transfer-Encoding"};

	MUST(*head->method && *head->path == '/');
	check_text(head->method, " \t:");
	check_text(head->path, " \t?");
	for (unsigned i = 0; i < head->count; i++) {
		MUST(*head->fields[i].name);
		check_text(head->fields[i].name, " \t:");
		check_text(head->fields[i].value, "");
	}
	for (size_t i = 0; i < sizeof(singles) / sizeof(singles[0]); i++)
		MUST(head_field_count(head, singles[i]) <= 1);
	MUST(head->is_http10 || head_field(head, "Host"));
	MUST(head->has_length == !!head_field(head, "Content-Length"));
	MUST(head->is_chunked == !!head_field(head, "Transfer-Encoding"));
	MUST(!head->is_chunked || (!head->has_length && !head->is_http10));
	MUST(head->has_length || !head->length);
	MUST(!head->is_http10 || (head->is_last && !head->asks_first));
}

static void check_head(const char *bytes, size_t length)
{
	static struct head head;
	char *text = copy_of(bytes, length);
	size_t lines = 0;

	head_parse(text, length, &head);
	MUST(head.method && head.path && head.count <= HEAD_FIELDS);
	if (head.status) {
		MUST(head.status == 400 || head.status == 413 || head.status == 431 ||
		     head.status == 505);
		MUST(head.wrong && head.is_last);
	} else {
		MUST(!head.wrong);
		check_good(&head);
		for (size_t i = 0; i < length; i++)
			lines += bytes[i] == '\n';
		/* The first line and the empty one. */
		MUST(lines == head.count + 2);
	}
	free(text);
}

struct body {
	enum chunks_event event; /* the last one */
	size_t used;
	size_t size;
	char *data;
};

static void read_body(const char *bytes, size_t length, size_t piece, struct body *out)
{
	struct chunks c = {0};

	*out = (struct body){.event = CHUNKS_MORE, .data = malloc(length + 1)};
	MUST(out->data);
	while (out->event == CHUNKS_MORE && out->used < length) {
		const char *at = bytes + out->used;
		size_t left = length - out->used < piece ? length - out->used : piece;
		const char *end = at + left;
		const char *start = at;
		const char *data;
		size_t size;

		while ((out->event = chunks_read(&c, &at, &left, &data, &size)) == CHUNKS_DATA) {
			MUST(size && data >= start && data + size == at);
			MUST(out->size + size <= length);
			memcpy(out->data + out->size, data, size);
			out->size += size;
		}
		MUST(at + left == end && (out->event != CHUNKS_MORE || !left));
		out->used += (size_t)(at - start);
	}
}

static void check_body(const char *bytes, size_t length)
{
	struct body whole;
	struct body cut;

	read_body(bytes, length, length, &whole);
	read_body(bytes, length, 1, &cut);
	MUST(cut.event == whole.event && cut.used == whole.used && cut.size == whole.size);
	MUST(!memcmp(cut.data, whole.data, whole.size));
	/* Each byte of data has its line and its end beside it. */
	MUST(!whole.size || whole.size + 3 <= whole.used);
	free(whole.data);
	free(cut.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = copy_of(data, size);
	size_t end = find_end(copy, size);

	check_head(copy, end);
	check_body(copy + end, size - end);
	free(copy);
	return 0;
}
