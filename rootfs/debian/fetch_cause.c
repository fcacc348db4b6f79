/*
 * fetch_cause - explain why packages could not be fetched, or do not work, and name the remedy.
 */
#include "fetch_cause.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"

#define CAUSE_MAX_BYTES 240

/* clang-format off */
static const struct cause {
	const char *word;
	bool names; /* the second line names the culprit */
	const char *remedy;
} causes[] = {
	{"expired", false, "the mirror's index has expired (how long ago, is above), so updates may be missing: use another mirror, --mirror URL, or accept an index that is not older than some days, --stale-days DAYS (\"stale_days\" in a recipe)"},
	{"early", false, "the mirror's index is of the future: set this machine's clock"},
	{"unreachable", false, "the mirror cannot be reached: look at the network and http_proxy, or name another mirror, --mirror URL"},
	{"missing", false, "the mirror does not have it: is the name right? Debian's old releases are at --mirror http://archive.debian.org/debian"},
	{"unsigned", false, "no key that this machine trusts has signed it: install or upgrade debian-archive-keyring (\"apt-get install debian-archive-keyring\" as root); a mirror with a key of its own is named as --mirror \"deb [signed-by=/usr/share/keyrings/FILE] URI SUITE main\""},
	{"package", true, "the suite has no package of this name and version"},
	{"pip-missing", true, "pip found no wheel of it for this Python: is the name right? --allow-sdist builds one from its source"},
	{"pip-certificate", true, "this machine does not trust the index's certificate: name a file of authorities that has its own, PIP_CERT=FILE (or SSL_CERT_FILE), or, as root, put it into /usr/local/share/ca-certificates (NAME.crt) and run update-ca-certificates"},
	{"pip-unreachable", true, "pip cannot reach an index: look at the network, PIP_INDEX_URL, http_proxy and https_proxy, or name a directory of wheels, PIP_FIND_LINKS"},
	{"pip-conflict", true, "pip says that they, or what they need, exclude each other"},
	{"pip-installed", true, "pip cannot replace what a Debian package has installed: ask for an older version of the wheel that wants it, or build on a recipe without that Debian package, such as slim"},
	{"pip-source", true, "it, or what it needs, is there only as source, and building that runs its code with this machine's network: --allow-sdist allows it"},
	{"pip", true, "pip failed; its messages are above"},
	{"import", true, "so the image would not work: add the package that has it, \"apt\" in a recipe, or leave this one out"},
	{"preload", true, "so it cannot be imported in advance: leave it out of \"preload\" in the recipe"},
};
/* clang-format on */

/* "": no cause. Two lines at most, each a string. */
static void fetch_cause_read(const char *build, char word[CAUSE_MAX_BYTES], char **culprit)
{
	auto_fd int dir = open(build, O_PATH | O_DIRECTORY | O_CLOEXEC);
	auto_fd int fd =
		dir < 0 ? -1 : openat(dir, "cause", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, word, CAUSE_MAX_BYTES - 1);
	size_t first;

	word[n < 0 ? 0 : n] = '\0';
	first = strcspn(word, "\n");
	*culprit = word + first + (word[first] != 0);
	word[first] = '\0';
	(*culprit)[strcspn(*culprit, "\n")] = '\0';
}

int fetch_cause(const char *build, const char *suite, struct err *e)
{
	char word[CAUSE_MAX_BYTES];
	char *culprit;

	fetch_cause_read(build, word, &culprit);
	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
		if (strcmp(causes[i].word, word) != 0)
			continue;
		if (causes[i].names)
			return err_set(e, ERR_NOT_FOUND, "%s: %s", culprit, causes[i].remedy);
		return err_set(e, ERR_UNSUPPORTED, "fetch the packages of %.60s: %s", suite,
			       causes[i].remedy);
	}
	return -1;
}
