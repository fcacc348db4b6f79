/*
 * libc - what a static libc would load from the host: users and ports by name service, character
 * sets.
 *
 * glibc loads a shared library of the host's for each of these, which may be of another version, or
 * missing. The linker takes these functions instead, and refuses to link what would still load one
 * (-Wl,--fatal-warnings).
 */
#include <errno.h>
#include <grp.h>
#include <iconv.h>
#include <netdb.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>

/* What libarchive has converted is UTF-8 on both sides. */
#define AS_IT_IS ((iconv_t)1)

/* The row of /etc/passwd with that name, or else that uid. Valid until the next call. */
static struct passwd *libc_find_user(const char *name, uid_t uid)
{
	static struct passwd user;
	static char text[4096];
	struct passwd *row = NULL;
	FILE *file = fopen("/etc/passwd", "re");

	if (!file)
		return NULL;
	while (!fgetpwent_r(file, &user, text, sizeof(text), &row)) {
		if (name ? !strcmp(row->pw_name, name) : row->pw_uid == uid)
			break;
		row = NULL;
	}
	fclose(file);
	return row;
}

struct passwd *getpwnam(const char *name)
{
	return libc_find_user(name, 0);
}

struct passwd *getpwuid(uid_t uid)
{
	return libc_find_user(NULL, uid);
}

/* libcap-ng has a function for it, which nobody calls. */
int initgroups(const char *user, gid_t group)
{
	(void)user;
	(void)group;
	errno = ENOSYS;
	return -1;
}

/*
 * setlocale() of our code and of the libraries (-Wl,--wrap): only the locale that is always there,
 * because files of the host's are read for any other.
 */
char *__wrap_setlocale(int category, const char *locale);

char *__wrap_setlocale(int category, const char *locale)
{
	(void)category;
	return !locale || !strcmp(locale, "C") ? (char *)"C" : NULL;
}

/* glibc's headers have reserved names for what these take, and pointers to what others write. */
/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name,readability-non-const-parameter)
 */
/* GnuTLS has functions for the keys of known hosts in a home directory, which nobody calls. */
int getpwuid_r(uid_t uid, struct passwd *user, char *text, size_t size, struct passwd **row)
{
	(void)uid;
	(void)user;
	(void)text;
	(void)size;
	*row = NULL;
	return ENOSYS;
}

/* c-ares looks up ports by name, and their names, for callers that ask: libcurl does not. */
struct servent *getservbyname(const char *name, const char *protocol)
{
	(void)name;
	(void)protocol;
	return NULL;
}

int getservbyname_r(const char *name, const char *protocol, struct servent *entry, char *text,
		    size_t size, struct servent **found)
{
	(void)name;
	(void)protocol;
	(void)entry;
	(void)text;
	(void)size;
	*found = NULL;
	return ENOSYS;
}

int getservbyport_r(int port, const char *protocol, struct servent *entry, char *text, size_t size,
		    struct servent **found)
{
	(void)port;
	(void)protocol;
	(void)entry;
	(void)text;
	(void)size;
	*found = NULL;
	return ENOSYS;
}

iconv_t iconv_open(const char *to, const char *from)
{
	(void)to;
	(void)from;
	return AS_IT_IS;
}

size_t iconv(iconv_t with, char **in, size_t *in_left, char **out, size_t *out_left)
{
	size_t n = in && *in_left < *out_left ? *in_left : *out_left;

	(void)with;
	if (!in || !*in)
		return 0;
	memcpy(*out, *in, n);
	*in += n;
	*out += n;
	*in_left -= n;
	*out_left -= n;
	if (!*in_left)
		return 0;
	errno = E2BIG;
	return (size_t)-1;
}

int iconv_close(iconv_t with)
{
	(void)with;
	return 0;
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name,readability-non-const-parameter) */
