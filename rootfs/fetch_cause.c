/*
 * fetch_cause - why packages could not be fetched, and what to do about it.
 */
#include "fetch_cause.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"

#define WORD_MAX_BYTES 32

static const struct cause {
	const char *word;
	const char *remedy;
} causes[] = {
	{"expired",
	 "the mirror's index has expired (how long ago, is above), so updates may be "
	 "missing: use another mirror, --mirror URL, or accept an index that is not older "
	 "than some days, --stale-days DAYS (\"stale_days\" in a recipe)"              },
	{"early",       "the mirror's index is of the future: set this machine's clock"},
	{"unreachable",
	 "the mirror cannot be reached: look at the network and http_proxy, or "
	 "name another mirror, --mirror URL"                                           },
	{"missing",
	 "the mirror does not have it: is the name right? Debian's old releases are at "
	 "--mirror http://archive.debian.org/debian"                                   },
	{"unsigned",
	 "no key that this machine trusts has signed it: install or upgrade "
	 "debian-archive-keyring (\"apt-get install debian-archive-keyring\" as root); a "
	 "mirror with a key of its own is named as --mirror \"deb "
	 "[signed-by=/usr/share/keyrings/FILE] URI SUITE main\""                       },
};

/* "" if there is none. */
static void fetch_cause_read_word(const char *build, char out[WORD_MAX_BYTES])
{
	auto_fd int dir = open(build, O_PATH | O_DIRECTORY | O_CLOEXEC);
	auto_fd int fd =
		dir < 0 ? -1 : openat(dir, "cause", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, out, WORD_MAX_BYTES - 1);

	out[n < 0 ? 0 : n] = '\0';
	out[strcspn(out, "\n")] = '\0';
}

int fetch_cause(const char *build, const char *suite, struct err *e)
{
	char word[WORD_MAX_BYTES];

	fetch_cause_read_word(build, word);
	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
		if (!strcmp(causes[i].word, word))
			return err_set(e, ERR_UNSUPPORTED, "fetch the packages of %.60s: %s", suite,
				       causes[i].remedy);
	}
	return -1;
}
