/*
 * network_tried - tell whether a program looked for a network that its sandbox does not have.
 */
#include "sandbox/network_tried.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The index of a word in a line, from 0; -1: not found. */
static int network_tried_find(const char *line, const char *word)
{
	const size_t length = strlen(word);
	int at = 0;

	for (const char *p = line; *p && *p != '\n'; at++) {
		const size_t n = strcspn(p, " \n");

		if (n == length && !strncmp(p, word, length))
			return at;
		p += n + (p[n] == ' ');
	}
	return -1;
}

/* Each protocol has a line of names and a line of numbers, which begin alike: "Udp:". */
static unsigned long long network_tried_read(const char *text, const char *protocol,
					     const char *name)
{
	const char *names = strstr(text, protocol);
	const char *p = names ? strchr(names, '\n') : NULL;
	int at = names ? network_tried_find(names, name) : -1;

	if (!p || at < 0)
		return 0;
	for (p++; at > 0 && *p && *p != '\n'; at--)
		p += strcspn(p, " \n") + (p[strcspn(p, " \n")] == ' ');
	return strtoull(p, NULL, 10);
}

bool network_tried(int fd)
{
	char text[8192];
	ssize_t n = fd < 0 ? -1 : pread(fd, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	return network_tried_read(text, "Ip: ", "OutNoRoutes") ||
	       network_tried_read(text, "Udp: ", "NoPorts");
}
