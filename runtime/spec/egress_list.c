/*
 * egress_list - a list of hosts.
 */
#include "spec/egress_list.h"

#include <string.h>

#include "base/own.h"
#include "netpolicy/egress_host.h"
#include "netpolicy/egress_preset.h"

#define MOST_NESTED 4 /* depth of lists that name other lists */

/* The file being read; NULL outside of files. */
struct list_file {
	const char *name;
	unsigned place;
	unsigned depth;
};

static int egress_list_entry(struct sandbox_spec *s, const char *text, const struct list_file *in,
			     struct err *e);

/* -- presets ---------------------------------------------------------------------------------- */

static int egress_list_lines(struct sandbox_spec *s, char *text, const struct list_file *in,
			     struct err *e)
{
	unsigned number = 0;
	char *line;

	while ((line = egress_preset_line(&text, &number))) {
		if (strpbrk(line, ", \t"))
			return err_input(e, "line %u: one host a line", number);
		if (egress_list_entry(s, line, in, e))
			return err_prefix(e, "line %u", number);
	}
	return 0;
}

/*
 * A file that names itself means the next directory's: a user's pypi may say "pypi", and add to it.
 */
static int egress_list_preset(struct sandbox_spec *s, const char *name, const struct list_file *in,
			      struct err *e)
{
	const unsigned from = in && !strcmp(in->name, name) ? in->place + 1 : 0;
	const unsigned depth = in ? in->depth + 1 : 1;
	struct egress_preset preset;
	struct list_file file;
	auto_free char *text = NULL;

	if (depth > MOST_NESTED)
		return err_input(e, "\"%.64s\": lists that name each other", name);
	if (egress_preset_read(name, from, &preset, e))
		return -1;
	file = (struct list_file){name, preset.place, depth};
	text = buf_take(&preset.text);
	if (text && egress_list_lines(s, text, &file, e))
		return err_prefix(e, "%.200s", preset.path);
	return 0;
}

/* -- entries ---------------------------------------------------------------------------------- */

static int egress_list_host(struct sandbox_spec *s, const char *text, struct err *e)
{
	uint16_t ports[] = {80, 443};
	size_t count = sizeof(ports) / sizeof(ports[0]);
	struct egress_entry entry;
	const char *name;

	if (egress_entry_parse(text, &entry, e))
		return -1;
	name = entry.name[0] ? spec_strdup(s, entry.name) : NULL;
	if (entry.port) {
		ports[0] = entry.port;
		count = 1;
	}
	for (size_t i = 0; i < count; i++) {
		const struct egress_rule rule = egress_entry_rule(&entry, name, ports[i]);

		if (egress_add_rule(&s->egress, &rule, e))
			return -1;
	}
	return 0;
}

static int egress_list_refuse_none(struct err *e)
{
	return err_input(e, "none stands alone: it means that nothing is reached");
}

static int egress_list_entry(struct sandbox_spec *s, const char *text, const struct list_file *in,
			     struct err *e)
{
	auto_free char *name = egress_preset_word(text);

	if (!strcmp(text, "none"))
		return egress_list_refuse_none(e);
	if (!strcmp(text, "localhost"))
		return err_input(e,
				 "localhost is this machine: --allow-host PORT gives a port "
				 "of it");
	if (name)
		return egress_list_preset(s, name, in, e);
	return egress_list_host(s, text, e);
}

static bool egress_list_has_hosts(const struct egress_spec *s)
{
	for (size_t i = 0; i < s->rule_count; i++) {
		if (!s->rules[i].on_host)
			return true;
	}
	return false;
}

int egress_list_add(struct sandbox_spec *s, const char *text, struct err *e)
{
	auto_free char *copy = own_strdup(text);
	char *rest = copy;
	char *entry;

	s->egress.has_list = true;
	if (s->egress.is_none && strcmp(text, "none") != 0)
		return egress_list_refuse_none(e);
	if (!strcmp(text, "none") && !egress_list_has_hosts(&s->egress)) {
		s->egress.is_none = true;
		return 0;
	}
	while ((entry = strsep(&rest, ","))) {
		if (egress_list_entry(s, entry, NULL, e))
			return -1;
	}
	return 0;
}

int egress_list_add_hosts(struct sandbox_spec *s, char *const *hosts, size_t count, struct err *e)
{
	s->egress.has_list = true;
	for (size_t i = 0; i < count; i++) {
		auto_free char *word = egress_preset_word(hosts[i]);

		if (word || strchr(hosts[i], ','))
			return err_input(e, "\"egress\": %.200s is not one host: name each",
					 hosts[i]);
		if (egress_list_add(s, hosts[i], e))
			return err_prefix(e, "\"egress\"");
	}
	return 0;
}
