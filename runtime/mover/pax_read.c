/*
 * pax_read - read the records of a pax header.
 */
#include "mover/pax_read.h"

#include <limits.h>

struct pax_text {
	const char *at;
	size_t size;
};

static bool pax_read_is(struct pax_text text, const char *word)
{
	for (size_t i = 0; i < text.size; i++)
		if (text.at[i] != word[i]) /* also at its end */
			return false;
	return !word[text.size];
}

static bool pax_read_begins(struct pax_text text, const char *word)
{
	for (size_t i = 0; word[i]; i++)
		if (i == text.size || text.at[i] != word[i])
			return false;
	return true;
}

/* Take the digits at the start of a text, one at least. */
static bool pax_read_digits(struct pax_text *text, long long *out)
{
	const char *start = text->at;
	long long value = 0;

	while (text->size && *text->at >= '0' && *text->at <= '9') {
		int digit = *text->at - '0';

		if (value > (LLONG_MAX - digit) / 10)
			return false;
		value = value * 10 + digit;
		text->at++;
		text->size--;
	}
	*out = value;
	return text->at > start;
}

static bool pax_read_char(struct pax_text *text, char c)
{
	if (!text->size || *text->at != c)
		return false;
	text->at++;
	text->size--;
	return true;
}

static const char *pax_read_name(struct pax_text value, char *out)
{
	if (value.size > TAR_NAME_MOST)
		return "a name is too long";
	for (size_t i = 0; i < value.size; i++) {
		if (!value.at[i])
			return "a name with a NUL";
		out[i] = value.at[i];
	}
	out[value.size] = '\0';
	return NULL;
}

static const char *pax_read_path(struct pax_text value, struct tar_entry *out)
{
	return pax_read_name(value, out->name);
}

static const char *pax_read_linkpath(struct pax_text value, struct tar_entry *out)
{
	return pax_read_name(value, out->link);
}

static const char *pax_read_size(struct pax_text value, struct tar_entry *out)
{
	return pax_read_digits(&value, &out->size) && !value.size ? NULL : "malformed size";
}

/* A decimal fraction; digits below a nanosecond do not count. Rounds down, as the kernel's pair
 * does. */
static const char *pax_read_mtime(struct pax_text value, struct tar_entry *out)
{
	bool negative = pax_read_char(&value, '-');
	long long seconds;
	long ns = 0;
	long unit = 100000000;

	if (!pax_read_digits(&value, &seconds))
		return "malformed time";
	if (pax_read_char(&value, '.'))
		for (; value.size && *value.at >= '0' && *value.at <= '9'; unit /= 10) {
			ns += (*value.at - '0') * unit;
			value.at++;
			value.size--;
		}
	if (value.size)
		return "malformed time";
	if (negative && ns) {
		seconds += seconds < LLONG_MAX;
		ns = 1000000000 - ns;
	}
	out->mtime = negative ? -seconds : seconds;
	out->mtime_ns = ns;
	return NULL;
}

static const struct pax_row {
	const char *key;
	unsigned given;
	const char *(*read)(struct pax_text value, struct tar_entry *out);
} pax_rows[] = {
	{"path",     TAR_GIVEN_NAME,  pax_read_path    },
	{"linkpath", TAR_GIVEN_LINK,  pax_read_linkpath},
	{"size",     TAR_GIVEN_SIZE,  pax_read_size    },
	{"mtime",    TAR_GIVEN_MTIME, pax_read_mtime   },
};

/* An empty value takes back what was said before. */
static const char *pax_read_record(struct pax_text key, struct pax_text value,
				   struct tar_entry *out)
{
	if (pax_read_begins(key, "GNU.sparse."))
		out->given |= TAR_GIVEN_SPARSE;
	for (size_t i = 0; i < sizeof(pax_rows) / sizeof(pax_rows[0]); i++) {
		const struct pax_row *row = &pax_rows[i];
		const char *wrong;

		if (!pax_read_is(key, row->key))
			continue;
		out->given &= ~row->given;
		if (!value.size)
			continue;
		wrong = row->read(value, out);
		if (wrong)
			return wrong;
		out->given |= row->given;
	}
	return NULL;
}

/* "LENGTH KEY=VALUE\n", where LENGTH counts all of it. */
const char *pax_read(const char *data, size_t size, struct tar_entry *out)
{
	struct pax_text left = {data, size};

	while (left.size) {
		struct pax_text record = left;
		struct pax_text key;
		const char *wrong;
		long long length;
		size_t head;

		if (!pax_read_digits(&record, &length) || !pax_read_char(&record, ' '))
			return "malformed pax header";
		head = left.size - record.size;
		if (length <= (long long)head || length > (long long)left.size ||
		    left.at[length - 1] != '\n')
			return "malformed pax header";
		record.size = (size_t)length - head - 1;
		key = (struct pax_text){record.at, 0};
		while (key.size < record.size && key.at[key.size] != '=')
			key.size++;
		if (key.size == record.size)
			return "malformed pax header";
		record.at += key.size + 1;
		record.size -= key.size + 1;
		wrong = pax_read_record(key, record, out);
		if (wrong)
			return wrong;
		left.at += length;
		left.size -= (size_t)length;
	}
	return NULL;
}
