/*
 * root_hosts - /etc/hosts, in which a sandbox finds its own name.
 */
#include "root/root_hosts.h"

#include <fcntl.h>
#include <string.h>
#include <strings.h>

#include "base/io.h"
#include "base/own.h"
#include "fs/resolve.h"
#include "spec/run_settings.h"

#define HOSTS_MAX (64u << 10) /* a longer file is covered by ours */
#define BLANKS    " \t\r"

const char *root_hosts_text(const struct sandbox_spec *s)
{
	int label = (int)strcspn(s->hostname, ".");
	bool has_domain = s->hostname[label];

	return spec_printf(s, "127.0.0.1 localhost %s%s%.*s\n::1 localhost\n", s->hostname,
			   has_domain ? " " : "", has_domain ? label : 0, s->hostname);
}

/* Whether a line has the name between its address and a comment. */
static bool root_hosts_line_has(char *line, const char *name)
{
	char *rest = NULL;

	line[strcspn(line, "#")] = '\0';
	strtok_r(line, BLANKS, &rest);
	for (char *word; (word = strtok_r(NULL, BLANKS, &rest));) {
		if (!strcasecmp(word, name))
			return true;
	}
	return false;
}

static bool root_hosts_have(char *rest, const char *name)
{
	for (char *line; (line = strsep(&rest, "\n"));) {
		if (root_hosts_line_has(line, name))
			return true;
	}
	return false;
}

bool root_hosts_are_needed(const struct sandbox_spec *s, const struct image *image)
{
	auto_buf struct buf text = {0};
	auto_fd int fd = -1;
	struct err ignored;

	if (image->is_host)
		return false; /* root_host.c writes one for each run */
	if (s->egress.has_list)
		return true;
	fd = resolve_open(image->root_fd, "etc/hosts", O_RDONLY | O_NOCTTY | O_NONBLOCK,
			  RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
	if (fd < 0)
		return setting_given(run_settings, s->given, "hostname");
	return io_read_fd(fd, "/etc/hosts", HOSTS_MAX, &text, &ignored) ||
	       !root_hosts_have(spec_strndup(s, buf_string(&text), text.length), s->hostname);
}
