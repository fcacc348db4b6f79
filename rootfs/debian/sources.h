/*
 * sources - find package mirrors: those of this machine's own apt.
 */
#ifndef GLOVEBOX_ROOTFS_DEBIAN_SOURCES_H
#define GLOVEBOX_ROOTFS_DEBIAN_SOURCES_H

#include <stdbool.h>

#include "base/err.h"
#include "base/list.h"

/* VERSION_CODENAME of /etc/os-release; owned by the caller. ERR_INPUT: --suite is needed. */
int sources_host_suite(char **out, struct err *e);

/*
 * sources_collect - lines for apt ("deb URI SUITE main") for a suite.
 *
 * The host's mirrors serve the suite and its -updates and -security, also for another suite than
 * the host's. Without a fitting mirror of the host it uses Debian's or Ubuntu's own.
 */
void sources_collect(const char *suite, struct list *lines);

/* Debian's own mirror for a suite, or Ubuntu's. Pure. */
void sources_official(bool ubuntu, const char *suite, struct list *lines);

/*
 * sources_read - add the sources that apt reports; none without apt.
 * @host   the suite to look for
 * @suite  the suite to write instead
 */
int sources_read(const char *host, const char *suite, struct list *lines, struct err *e);

/* This machine's apt settings for downloads: proxies, certificates, retries. */
int sources_apt_options(struct list *options, struct err *e);

#endif
