/*
 * sources - where packages come from: what this machine's own apt uses.
 */
#include "sources.h"

#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "interrupt.h"

#define FILE_MAX_BYTES (1u << 20)

static char *os_release(const char *key)
{
	auto_buf struct buf text = {0};
	struct err ignored;
	size_t length = strlen(key);
	char *save = NULL;

	if (io_read_file(AT_FDCWD, "/etc/os-release", FILE_MAX_BYTES, &text, &ignored))
		return NULL;
	for (char *line = strtok_r(text.data, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		const char *value = line + length + 1;

		if (strncmp(line, key, length) != 0 || line[length] != '=')
			continue;
		value += *value == '"';
		return strndup(value, strcspn(value, "\""));
	}
	return NULL;
}

int sources_host_suite(char **out, struct err *e)
{
	*out = os_release("VERSION_CODENAME");
	if (!*out)
		return err_input(e,
				 "this machine names no suite of its own in /etc/os-release: give "
				 "one, --suite trixie");
	return 0;
}

/* "" "-updates" "-security" when `word` is the host's suite with that ending; else NULL. */
static const char *ending(const char *word, const char *host)
{
	static const char *const known[] = {"", "-updates", "-security"};
	size_t length = strlen(host);

	if (strncmp(word, host, length) != 0)
		return NULL;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (!strcmp(word + length, known[i]))
			return known[i];
	}
	return NULL;
}

/* One archive: its URIs, suites and components as words between spaces. */
static void add_archive(char *uris, char *suites, const char *components, const char *host,
			const char *suite, struct list *lines)
{
	bool universe = strstr(components, "universe");
	char *save = NULL;
	char *uri = strtok_r(uris, " \t\n", &save);

	/* Schemes that work for any root; file: and mirror: name files of this one. */
	if (!uri || (strncmp(uri, "http://", 7) != 0 && strncmp(uri, "https://", 8) != 0))
		return;
	for (char *word = strtok_r(suites, " \t\n", &save); word;
	     word = strtok_r(NULL, " \t\n", &save)) {
		const char *end = ending(word, host);
		auto_free char *line = NULL;

		if (!end || !strstr(components, "main"))
			continue;
		if (asprintf(&line, "deb %s %s%s main%s", uri, suite, end,
			     universe ? " universe" : "") < 0)
			abort();
		list_add(lines, line);
	}
}

static void parse_one_line(char *line, const char *host, const char *suite, struct list *lines)
{
	char *p = line + strspn(line, " \t");
	char *uri;
	char *word;

	if (strncmp(p, "deb", 3) != 0 || (p[3] != ' ' && p[3] != '\t'))
		return;
	p += 3 + strspn(p + 3, " \t");
	if (*p == '[') {
		p = strchr(p, ']');
		if (!p)
			return;
		p++;
		p += strspn(p, " \t");
	}
	uri = p;
	p += strcspn(p, " \t");
	if (!*p)
		return;
	*p++ = '\0';
	word = p + strspn(p, " \t");
	p = word + strcspn(word, " \t");
	if (!*p)
		return;
	*p++ = '\0';
	add_archive(uri, word, p, host, suite, lines);
}

/* The value of a field in a stanza, its continuation lines joined; owned by the caller. */
static char *field(const char *stanza, const char *name)
{
	size_t length = strlen(name);
	auto_buf struct buf value = {0};
	bool inside = false;
	char *result;

	for (const char *p = stanza; *p;) {
		size_t n = strcspn(p, "\n");

		if (*p != '#' && *p != ' ' && *p != '\t')
			inside = !strncasecmp(p, name, length) && p[length] == ':';
		if (inside && *p != '#') {
			const char *from = *p == ' ' || *p == '\t' ? p : p + length + 1;

			buf_add(&value, from, n - (size_t)(from - p));
			buf_text(&value, " ");
		}
		p += n + (p[n] == '\n');
	}
	result = strdup(buf_string(&value));
	if (!result)
		abort();
	return result;
}

static void parse_stanza(const char *stanza, const char *host, const char *suite,
			 struct list *lines)
{
	auto_free char *types = field(stanza, "Types");
	auto_free char *enabled = field(stanza, "Enabled");
	auto_free char *uris = field(stanza, "URIs");
	auto_free char *suites = field(stanza, "Suites");
	auto_free char *components = field(stanza, "Components");

	if (strstr(enabled, "no") || strstr(enabled, "false"))
		return;
	for (const char *p = types; (p = strstr(p, "deb")); p += 3) {
		if (p[3] != '-') {
			add_archive(uris, suites, components, host, suite, lines);
			return;
		}
	}
}

void sources_parse(const char *text, bool deb822, const char *host, const char *suite,
		   struct list *lines)
{
	auto_free char *copy = strdup(text);
	const char *separator = deb822 ? "\n\n" : "\n";

	if (!copy)
		abort();
	for (char *p = copy; p && *p;) {
		char *end = strstr(p, separator);

		if (end)
			*end = '\0';
		if (deb822)
			parse_stanza(p, host, suite, lines);
		else
			parse_one_line(p, host, suite, lines);
		p = end ? end + strlen(separator) : NULL;
	}
}

static void read_host(const char *host, const char *suite, struct list *lines)
{
	static const char *const patterns[] = {"/etc/apt/sources.list",
					       "/etc/apt/sources.list.d/*.list",
					       "/etc/apt/sources.list.d/*.sources"};

	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		glob_t found = {0};

		if (glob(patterns[i], 0, NULL, &found) == 0) {
			for (size_t j = 0; j < found.gl_pathc; j++) {
				auto_buf struct buf text = {0};
				struct err ignored;

				if (!io_read_file(AT_FDCWD, found.gl_pathv[j], FILE_MAX_BYTES,
						  &text, &ignored))
					sources_parse(buf_string(&text), i == 2, host, suite,
						      lines);
			}
		}
		globfree(&found);
	}
}

static bool has_main(const struct list *lines, const char *suite)
{
	auto_buf struct buf wanted = {0};

	buf_printf(&wanted, " %s main", suite);
	for (size_t i = 0; i < lines->count; i++) {
		if (strstr(lines->items[i], buf_string(&wanted)))
			return true;
	}
	return false;
}

static void add_line(struct list *lines, const char *uri, const char *suite, const char *end,
		     const char *components)
{
	auto_buf struct buf line = {0};

	buf_printf(&line, "deb %s %s%s %s", uri, suite, end, components);
	list_add(lines, buf_string(&line));
}

void sources_collect(const char *suite, struct list *lines)
{
	auto_free char *host = os_release("VERSION_CODENAME");
	auto_free char *system = os_release("ID");
	bool rolling = !strcmp(suite, "sid") || !strcmp(suite, "unstable");
	auto_list struct list found = {0};

	if (host)
		read_host(host, suite, &found);
	if (!has_main(&found, suite)) {
		bool ubuntu = system && !strcmp(system, "ubuntu");
		const char *uri = ubuntu ? "http://archive.ubuntu.com/ubuntu"
					 : "http://deb.debian.org/debian";
		const char *security = ubuntu ? "http://security.ubuntu.com/ubuntu"
					      : "http://deb.debian.org/debian-security";
		const char *components = ubuntu ? "main universe" : "main";

		list_fini(&found);
		add_line(&found, uri, suite, "", components);
		add_line(&found, uri, suite, "-updates", components);
		add_line(&found, security, suite, "-security", components);
	}
	for (size_t i = 0; i < found.count; i++) {
		if (!rolling || !strstr(found.items[i], suite)[strlen(suite)] ||
		    strstr(found.items[i], suite)[strlen(suite)] == ' ')
			list_add(lines, found.items[i]);
	}
}

/* The output of `apt-config dump`; empty where there is no apt. */
static int dump_apt_config(struct buf *out, struct err *e)
{
	auto_fd int from = -1;
	int fds[2];
	pid_t pid;
	int status;

	if (pipe2(fds, O_CLOEXEC))
		return err_sys(e, "pipe");
	from = fds[0];
	pid = fork();
	if (pid == 0) {
		interrupt_reset();
		dup2(fds[1], STDOUT_FILENO);
		execlp("apt-config", "apt-config", "dump", (char *)NULL);
		_exit(127);
	}
	close(fds[1]);
	if (pid < 0)
		return err_sys(e, "fork");
	status = io_read_fd(from, "apt-config", FILE_MAX_BYTES, out, e);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return status;
}

int sources_apt_options(struct list *options, struct err *e)
{
	static const char *const wanted[] = {
		"Acquire::http::", "Acquire::https::", "Acquire::Retries "};
	auto_buf struct buf text = {0};
	char *save = NULL;

	if (dump_apt_config(&text, e))
		return -1;
	if (!text.length)
		return 0;
	for (char *line = strtok_r(text.data, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
			if (!strncmp(line, wanted[i], strlen(wanted[i])))
				list_add(options, line);
		}
	}
	return 0;
}
