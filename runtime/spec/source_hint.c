/*
 * source_hint - host paths in the syntax of a shell or of another system.
 */
#include "spec/source_hint.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define SHOWN 200

static bool source_hint_has_drive(const char *text)
{
	return isalpha((unsigned char)text[0]) && text[1] == ':' &&
	       (text[2] == '\\' || text[2] == '/');
}

/* "C:\Users\me" is /mnt/c/Users/me in WSL. */
static int source_hint_windows(const char *text, struct err *e)
{
	char path[SHOWN + 1] = "";
	size_t length = strcspn(text + 2, ":");

	if (length > SHOWN)
		length = SHOWN;
	memcpy(path, text + 2, length);
	for (char *p = path; (p = strchr(p, '\\'));)
		*p = '/';
	return err_input(e, "\"%.*s\" is a path of Windows; WSL has it as /mnt/%c%s",
			 (int)length + 2, text, tolower((unsigned char)text[0]), path);
}

int source_hint(const char *text, struct err *e)
{
	int length = (int)strcspn(text, ":");

	if (source_hint_has_drive(text))
		return source_hint_windows(text, e);
	if (text[0] == '\\')
		return err_input(e, "\"%.*s\" is a path of Windows; WSL has drive C as /mnt/c",
				 length, text);
	if (text[0] != '~')
		return 0;
	if (text[1] == '/' || text[1] == ':' || !text[1])
		return err_input(e,
				 "\"%.*s\" begins with a ~ that no shell has replaced; write "
				 "\"$HOME%.*s\" without single quotes",
				 length, text, length - 1, text + 1);
	return err_input(e, "\"%.*s\" begins with a ~ that no shell has replaced; write the path",
			 length, text);
}
