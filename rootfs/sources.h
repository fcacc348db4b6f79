/*
 * sources - where packages come from: what this machine's own apt uses.
 */
#ifndef GLOVEBOX_ROOTFS_SOURCES_H
#define GLOVEBOX_ROOTFS_SOURCES_H

#include <stdbool.h>

#include "base/err.h"
#include "list.h"

/* VERSION_CODENAME of /etc/os-release; owned by the caller. ERR_INPUT: --suite is needed. */
int sources_host_suite(char **out, struct err *e);

/*
 * sources_collect - lines for apt ("deb URI SUITE main") for a suite.
 *
 * The host's mirrors serve the suite and its -updates and -security; another
 * suite than the host's comes from the same mirrors. Debian's or Ubuntu's own
 * where the host has none that fit.
 */
void sources_collect(const char *suite, struct list *lines);

/*
 * sources_parse - add what one file of apt's sources says about a suite. Pure.
 * @deb822     the format of *.sources; else the one-line format of *.list
 * @host       the suite to look for in the file
 * @suite      the suite to write instead
 */
void sources_parse(const char *text, bool deb822, const char *host, const char *suite,
		   struct list *lines);

/* apt's settings of this machine that a download needs: proxies, certificates, retries. */
int sources_apt_options(struct list *options, struct err *e);

#endif
