/*
 * program_flags - flags for the program, its user, its names and its variables.
 */
#include "spec/program_flags.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/io.h"
#include "base/parse.h"
#include "base/utf8.h"
#include "spec/capability.h"

#define MAX_ENV_FILE (1u << 20)
#define MAX_PROFILE  (4u << 20)

/*
 * KEY=VALUE as it is; the value of a bare KEY comes from the caller's environment, and a KEY that
 * is unset there is dropped.
 */
static int program_flags_add_variable(struct sandbox_spec *s, struct string_list *list,
				      const char *text, struct err *e)
{
	const char *eq = strchr(text, '=');
	const char *inherited;

	if (!*text || eq == text)
		return err_input(e, "\"%.100s\" has no variable name before =", text);
	if (eq) {
		spec_list_add(s, list, text);
		return 0;
	}
	inherited = getenv(text);
	if (inherited)
		spec_list_add(s, list, spec_printf(s, "%s=%s", text, inherited));
	return 0;
}

int program_flag_env(void *spec, const char *value, struct err *e)
{
	struct sandbox_spec *s = spec;

	return program_flags_add_variable(s, &s->env, value, e);
}

/*
 * Docker's format: '#' comments only at the start of a line, no quotes, values up to the end of the
 * line.
 */
int program_flag_env_file(void *spec, const char *value, struct err *e)
{
	struct sandbox_spec *s = spec;
	auto_buf struct buf text = {0};
	char *line;
	char *next;

	if (io_read_file(AT_FDCWD, value, MAX_ENV_FILE, &text, e))
		return -1;
	if (memchr(buf_string(&text), '\0', text.length))
		return err_input(e, "%.200s contains a NUL byte", value);
	if (!utf8_is_valid(buf_string(&text), text.length))
		return err_input(e, "%.200s contains invalid utf8 bytes", value);
	line = text.data;
	if (line && !strncmp(line, "\xef\xbb\xbf", 3)) /* a byte order mark */
		line += 3;
	for (; line && *line; line = next) {
		size_t length = strcspn(line, "\n");
		size_t name;

		next = line[length] ? line + length + 1 : line + length;
		if (length && line[length - 1] == '\r')
			line[length - 1] = '\0';
		line[length] = '\0';
		while (isspace((unsigned char)*line))
			line++;
		if (!*line || *line == '#')
			continue;
		name = strcspn(line, "=");
		if (strcspn(line, " \t") < name)
			return err_input(e, "%.200s: variable name \"%.50s\" contains white space",
					 value, line);
		if (program_flags_add_variable(s, &s->env_file, line, e))
			return err_prefix(e, "%.200s", value);
	}
	return 0;
}

int program_flag_workdir(void *spec, const char *value, struct err *e)
{
	struct sandbox_spec *s = spec;

	if (value[0] != '/')
		return err_input(e,
				 "the working directory \"%.200s\" is invalid, it needs to be an "
				 "absolute path",
				 value);
	if (strlen(value) >= PATH_MAX)
		return err_input(e, "path longer than %d bytes", PATH_MAX - 1);
	s->workdir = spec_strdup(s, value);
	return 0;
}

int program_flag_user(void *spec, const char *value, struct err *e)
{
	struct sandbox_spec *s = spec;

	if (!*value || *value == ':' || strlen(value) > 128 || strpbrk(value, "/\n"))
		return err_input(e, "\"%.100s\" is not a user: name or uid, then :group if wanted",
				 value);
	s->user = spec_strdup(s, value);
	return 0;
}

static bool program_flags_is_name(const char *text, const char *also, size_t max)
{
	size_t length = strlen(text);

	if (length == 0 || length > max || !isalnum((unsigned char)text[0]))
		return false;
	for (const char *p = text; *p; p++) {
		if (!isalnum((unsigned char)*p) && !strchr(also, *p))
			return false;
	}
	return true;
}

int program_name_check(const char *name, struct err *e)
{
	if (program_flags_is_name(name, "_.-", 128) && name[1])
		return 0;
	return err_input(e,
			 "Invalid container name (%.100s), only [a-zA-Z0-9][a-zA-Z0-9_.-]+ "
			 "are allowed%s",
			 name, *name && !name[1] ? ": two characters at least" : "");
}

int program_flag_name(void *spec, const char *value, struct err *e)
{
	struct sandbox_spec *s = spec;

	value += *value == '/'; /* as docker shows names */
	if (program_name_check(value, e))
		return -1;
	s->name = spec_strdup(s, value);
	return 0;
}

int program_flag_hostname(void *spec, const char *value, struct err *e)
{
	struct sandbox_spec *s = spec;

	if (!program_flags_is_name(value, ".-_", 64))
		return err_input(
			e, "\"%.100s\" is not a host name: letters, digits, - and ., 64 at most",
			value);
	s->hostname = spec_strdup(s, value);
	return 0;
}

/* RTMIN, RTMIN+n, RTMAX-n, RTMAX: as docker, and kill -l, name them. 0: none of them. */
static int program_flags_real_time(const char *name)
{
	bool from_below = !strncasecmp(name, "RTMIN", 5);
	int64_t n = 0;
	struct err ignored;

	if (!from_below && strncasecmp(name, "RTMAX", 5) != 0)
		return 0;
	if (name[5] && (name[5] != (from_below ? '+' : '-') ||
			parse_int(name + 6, 0, SIGRTMAX - SIGRTMIN, &n, &ignored)))
		return 0;
	return from_below ? SIGRTMIN + (int)n : SIGRTMAX - (int)n;
}

int program_flag_signal(void *out_number, const char *value, struct err *e)
{
	int *out = out_number;
	int64_t number;

	if (isdigit((unsigned char)*value)) {
		if (parse_int(value, 1, 64, &number, e))
			return -1;
		*out = (int)number;
		return 0;
	}
	if (!strncasecmp(value, "SIG", 3))
		value += 3;
	*out = program_flags_real_time(value);
	for (int i = 1; i < 32; i++) {
		if (!strcasecmp(value, sigabbrev_np(i)))
			*out = i;
	}
	return *out ? 0 : err_input(e, "\"%.50s\" is not a signal: SIGTERM, INT, 15, ...", value);
}

int program_flag_stop_signal(void *spec, const char *value, struct err *e)
{
	return program_flag_signal(&((struct sandbox_spec *)spec)->stop_signal, value, e);
}

int program_flag_pull(void *spec, const char *value, struct err *e)
{
	(void)spec;
	if (!strcmp(value, "missing") || !strcmp(value, "never"))
		return 0;
	if (!strcmp(value, "always"))
		return err_set(e, ERR_UNSUPPORTED,
			       "always is refused: a run fetches nothing; \"glovebox image pull "
			       "IMAGE\" does");
	return err_input(e, "\"%.50s\" is none of missing, never", value);
}

int program_flag_platform(void *spec, const char *value, struct err *e)
{
#if defined(__x86_64__)
	static const char native[] = "linux/amd64";
#else
	static const char native[] = "linux/arm64";
#endif
	(void)spec;
	if (strcmp(value, native) && strcmp(value, native + 6) && strcmp(value, "linux"))
		return err_set(e, ERR_UNSUPPORTED,
			       "%.50s is not this machine's %s, and nothing is "
			       "emulated",
			       value, native);
	return 0;
}

int program_flag_network(void *spec, const char *value, struct err *e)
{
	(void)spec;
	if (!strcmp(value, "none") || !strcmp(value, "name=none"))
		return 0;
	return err_set(e, ERR_UNSUPPORTED,
		       "%.50s is not supported: a sandbox is in no network; --egress LIST names "
		       "what it may reach (pypi, api.example.org:443), -p what reaches it",
		       value);
}

int program_flag_remove(void *spec, const char *value, struct err *e)
{
	return parse_bool(value, &((struct sandbox_spec *)spec)->remove, e);
}

int program_flag_read_only(void *spec, const char *value, struct err *e)
{
	bool on;

	(void)spec;
	if (parse_bool(value, &on, e))
		return -1;
	if (!on)
		return err_set(e, ERR_UNSUPPORTED,
			       "the root is an image, which others share: --writable[=SIZE] keeps "
			       "changes to it in memory");
	return 0;
}

static int program_flags_seccomp_option(struct sandbox_spec *s, const char *value, struct err *e)
{
	auto_buf struct buf text = {0};

	if (!strcmp(value, "builtin")) {
		s->seccomp = SECCOMP_SHIPPED;
		return 0;
	}
	if (!strcmp(value, "unconfined")) {
		s->seccomp = SECCOMP_UNCONFINED;
		return 0;
	}
	if (io_read_file(AT_FDCWD, value, MAX_PROFILE, &text, e))
		return err_prefix(e, "opening seccomp profile");
	if (!text.length || memchr(text.data, '\0', text.length))
		return err_input(e, "seccomp profile %.200s is empty or not text", value);
	s->seccomp = SECCOMP_PROFILE;
	s->seccomp_profile = spec_strndup(s, text.data, text.length);
	return 0;
}

/*
 * Sandboxes have no SELinux or AppArmor labels, so a request for no label, or for docker's default,
 * is already met.
 */
static bool program_flags_is_label(const char *value, size_t length, const char *rest)
{
	if (length == 5 && !strncmp(value, "label", 5))
		return !strcmp(rest, "disable");
	return length == 8 && !strncmp(value, "apparmor", 8) &&
	       (!strcmp(rest, "docker-default") || !strcmp(rest, "unconfined"));
}

int program_flag_security(void *spec, const char *value, struct err *e)
{
	struct sandbox_spec *s = spec;
	const char *rest = value + strcspn(value, "=:");
	size_t length = (size_t)(rest - value);
	bool on = true;

	rest += *rest ? 1 : 0;
	if (length == 17 && !strncmp(value, "no-new-privileges", 17)) {
		if (*rest && parse_bool(rest, &on, e))
			return -1;
		return on ? 0
			  : err_set(e, ERR_UNSUPPORTED,
				    "no-new-privileges=false is refused: it always holds");
	}
	if (length == 7 && !strncmp(value, "seccomp", 7))
		return program_flags_seccomp_option(s, rest, e);
	if (program_flags_is_label(value, length, rest))
		return 0;
	return err_set(e, ERR_UNSUPPORTED,
		       "\"%.100s\" is not supported: no-new-privileges, "
		       "seccomp=FILE, seccomp=builtin, seccomp=unconfined",
		       value);
}

int program_flag_cap_drop(void *spec, const char *value, struct err *e)
{
	(void)spec;
	if (!capability_is_known(value))
		return err_input(e, "\"%.50s\" is not a capability: NET_RAW, CHOWN, ..., or ALL",
				 value);
	return 0;
}
