/*
 * requirement - what pip may be asked for when only wheels are to be fetched: names of an index.
 */
#include "cli/requirement.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/own.h"

#define BLANKS " \t\r\f\v"
#define HASH   "--hash="

/* "name[extra]>=1,<2; marker". '@' and '/' make it a place, '$' a variable of the environment. */
static bool requirement_is_name(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c < ' ' ? c != '\t' : c > '~' || strchr("@/\\$", c))
			return false;
	}
	return length && isalnum((unsigned char)text[0]);
}

int requirement_check(const char *text, struct err *e)
{
	if (requirement_is_name(text, strlen(text)) && !strstr(text, " -"))
		return 0;
	return err_input(e,
			 "\"%.100s\" is not the name of a package, with versions: other places "
			 "would have to be executed",
			 text);
}

/* "--hash=sha256:..." and what follows it: only more of them. */
static bool requirement_is_hashes(const char *p)
{
	while (*(p += strspn(p, BLANKS))) {
		if (strncmp(p, HASH, strlen(HASH)) != 0)
			return false;
		p += strcspn(p, BLANKS);
	}
	return true;
}

static bool requirement_is_line(const char *line)
{
	const char *options = !strncmp(line, "--", 2) ? line : strstr(line, " --");

	if (!options)
		return !*line || (requirement_is_name(line, strlen(line)) && !strstr(line, " -"));
	if (options > line && !requirement_is_name(line, (size_t)(options - line)))
		return false;
	return requirement_is_hashes(options);
}

/* Cut off its comment, blanks around it, and the mark that it goes on; whether it had that. */
static bool requirement_trim(char *line)
{
	char *end = line;
	bool goes_on;
	size_t blanks = strspn(line, BLANKS);

	memmove(line, line + blanks, strlen(line + blanks) + 1);
	while (*end && !(*end == '#' && (end == line || strchr(BLANKS, end[-1]))))
		end++;
	goes_on = !*end && end > line && end[-1] == '\\';
	end -= goes_on;
	while (end > line && strchr(BLANKS, end[-1]))
		end--;
	*end = '\0';
	return goes_on;
}

int requirement_read(const char *text, const char *name, struct buf *out, struct err *e)
{
	unsigned number = 1;

	for (const char *p = text; *p; number++) {
		size_t length = strcspn(p, "\n");
		bool dos = length && p[length - 1] == '\r';
		auto_free char *line = own_strndup(p, length - dos);
		bool goes_on = requirement_trim(line);

		if (!requirement_is_line(line))
			return err_input(
				e,
				"line %u of %.200s is not the name of a package, with "
				"versions and hashes: give an index with -e "
				"PIP_INDEX_URL=URL; other places would have to be executed",
				number, name);
		buf_printf(out, "%s%s\n", line, goes_on ? " \\" : "");
		p += length + (p[length] == '\n');
	}
	return 0;
}
