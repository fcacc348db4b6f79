/*
 * sources - find package mirrors: those of this machine's own apt.
 */
#include "sources.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "base/process.h"
#include "rootfs/archive/interrupt.h"
#include "suites.h"

#define OUTPUT_MAX_BYTES (1u << 20)

static char *sources_os_release(const char *key)
{
	auto_buf struct buf text = {0};
	struct err ignored;
	size_t length = strlen(key);
	char *save = NULL;

	if (io_read_file(AT_FDCWD, "/etc/os-release", OUTPUT_MAX_BYTES, &text, &ignored))
		return NULL;
	for (char *line = strtok_r(text.data, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		const char *value = line + length + 1;

		if (strncmp(line, key, length) != 0 || line[length] != '=')
			continue;
		value += *value == '"';
		return own_strndup(value, strcspn(value, "\""));
	}
	return NULL;
}

int sources_host_suite(char **out, struct err *e)
{
	*out = sources_os_release("VERSION_CODENAME");
	if (!*out)
		return err_input(e,
				 "this machine names no suite of its own in /etc/os-release: give "
				 "one, --suite trixie");
	return 0;
}

/* "", "-updates" or "-security" if `word` is the host's suite with that ending; else NULL. */
static const char *sources_ending(const char *word, const char *host)
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

/* Add one row: "URI RELEASE COMPONENT". Other components are in other rows. */
static void sources_add_archive(const char *rows, char *row, const char *host, const char *suite,
				struct list *lines)
{
	auto_buf struct buf universe = {0};
	auto_buf struct buf line = {0};
	char *save = NULL;
	char *uri = strtok_r(row, " ", &save);
	char *release = strtok_r(NULL, " ", &save);
	char *component = strtok_r(NULL, " ", &save);
	const char *end = component ? sources_ending(release, host) : NULL;

	/* Schemes that work in any root; file: and mirror: name files of this one. */
	if (!end || strcmp(component, "main") != 0 || (*end && suite_is_rolling(suite)) ||
	    (strncmp(uri, "http://", 7) != 0 && strncmp(uri, "https://", 8) != 0))
		return;
	buf_printf(&universe, "%s %s universe\n", uri, release);
	if (uri[strlen(uri) - 1] == '/')
		uri[strlen(uri) - 1] = '\0';
	buf_printf(&line, "deb %s %s%s main%s", uri, suite, end,
		   strstr(rows, buf_string(&universe)) ? " universe" : "");
	/* Each architecture has a row of its own. */
	if (!list_has(lines, buf_string(&line)))
		list_add(lines, buf_string(&line));
}

/* The output of a program of apt; empty without apt, or if it fails. */
static int sources_ask_apt(const char *const command[], struct buf *out, struct err *e)
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
		execvp(command[0], (char **)command);
		_exit(127);
	}
	close(fds[1]);
	if (pid < 0)
		return err_sys(e, "fork");
	status = io_read_fd(from, command[0], OUTPUT_MAX_BYTES, out, e);
	(void)process_reap(pid, 0);
	return status;
}

int sources_read(const char *host, const char *suite, struct list *lines, struct err *e)
{
	/* Include archives that were not downloaded yet. */
	static const char *const command[] = {"apt-get",
					      "indextargets",
					      "--no-release-info",
					      "--format=$(REPO_URI) $(RELEASE) $(COMPONENT)",
					      "Created-By: Packages",
					      NULL};
	auto_buf struct buf rows = {0};
	auto_buf struct buf left = {0};
	char *save = NULL;

	if (sources_ask_apt(command, &rows, e))
		return -1;
	if (!rows.length)
		return 0;
	buf_add(&left, rows.data, rows.length);
	for (char *row = strtok_r(left.data, "\n", &save); row; row = strtok_r(NULL, "\n", &save))
		sources_add_archive(rows.data, row, host, suite, lines);
	return 0;
}

static bool sources_has_main(const struct list *lines, const char *suite)
{
	auto_buf struct buf wanted = {0};

	buf_printf(&wanted, " %s main", suite);
	for (size_t i = 0; i < lines->count; i++) {
		if (strstr(lines->items[i], buf_string(&wanted)))
			return true;
	}
	return false;
}

void sources_official(bool ubuntu, const char *suite, struct list *lines)
{
	const char *uri =
		ubuntu ? "http://archive.ubuntu.com/ubuntu" : "http://deb.debian.org/debian";
	const char *security = ubuntu ? "http://security.ubuntu.com/ubuntu"
				      : "http://deb.debian.org/debian-security";
	const char *components = ubuntu ? "main universe" : "main";

	list_addf(lines, "deb %s %s %s", uri, suite, components);
	if (suite_is_rolling(suite))
		return;
	list_addf(lines, "deb %s %s-updates %s", uri, suite, components);
	list_addf(lines, "deb %s %s-security %s", security, suite, components);
}

/*
 * Another system's mirrors do not have Debian's suites; a derivative's suite may have the same
 * name.
 */
static bool sources_is_served_here(const char *system, const char *host, const char *suite)
{
	if (!strcmp(host, suite) || !suite_is_debians(suite))
		return true;
	return system && !strcmp(system, "debian");
}

void sources_collect(const char *suite, struct list *lines)
{
	auto_free char *host = sources_os_release("VERSION_CODENAME");
	auto_free char *system = sources_os_release("ID");
	auto_list struct list found = {0};
	struct err ignored; /* then use the official mirrors */

	if (host && sources_is_served_here(system, host, suite))
		sources_read(host, suite, &found, &ignored);
	if (!sources_has_main(&found, suite)) {
		list_fini(&found);
		sources_official(system && !strcmp(system, "ubuntu") && !suite_is_debians(suite),
				 suite, &found);
	}
	for (size_t i = 0; i < found.count; i++)
		list_add(lines, found.items[i]);
}

int sources_apt_options(struct list *options, struct err *e)
{
	static const char *const wanted[] = {
		"Acquire::http::", "Acquire::https::", "Acquire::Retries "};
	static const char *const command[] = {"apt-config", "dump", NULL};
	auto_buf struct buf text = {0};
	char *save = NULL;

	if (sources_ask_apt(command, &text, e))
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
