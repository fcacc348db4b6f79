/*
 * fail - an error's text without printf.
 */
#include "inside/confine.h"

static size_t fail_append(char *out, size_t used, size_t size, const char *text)
{
	while (*text && used + 1 < size)
		out[used++] = *text++;
	out[used] = '\0';
	return used;
}

int inside_fail(struct err *e, long result, const char *verb, const char *object)
{
	size_t used = fail_append(e->text, 0, sizeof(e->text), verb);

	if (object) {
		used = fail_append(e->text, used, sizeof(e->text), " ");
		fail_append(e->text, used, sizeof(e->text), object);
	}
	e->kind = ERR_SYSTEM;
	e->number = (int)-result;
	e->namespaces = 0;
	e->no_process = false;
	return -1;
}

int inside_fail_namespaces(struct err *e, long result, unsigned long wanted, const char *text)
{
	inside_fail(e, result, text, NULL);
	e->namespaces = wanted;
	return -1;
}
