/*
 * sources - where packages come from: what this machine's own apt uses.
 */
#ifndef GLOVEBOX_ROOTFS_SOURCES_H
#define GLOVEBOX_ROOTFS_SOURCES_H

#include <stdbool.h>

#include "base/err.h"
#include "base/list.h"

/* VERSION_CODENAME of /etc/os-release; owned by the caller. ERR_INPUT: --suite is needed. */
int sources_host_suite(char **out, struct err *e);

/*
 * sources_collect - lines for apt ("deb URI SUITE main") for a suite.
 *
 * The host's mirrors serve the suite and its -updates and -security; another suite than the host's
 * comes from the same mirrors. If the host has no mirror that fits, Debian's or Ubuntu's own are
 * used.
 */
void sources_collect(const char *suite, struct list *lines);

/* Debian's own mirror for a suite, or Ubuntu's. Pure. */
void sources_official(bool ubuntu, const char *suite, struct list *lines);

/*
 * sources_read - add the sources that apt reports; none without an apt.
 * @host   the suite to look for
 * @suite  the suite to write instead
 */
int sources_read(const char *host, const char *suite, struct list *lines, struct err *e);

/* apt's settings of this machine that a download needs: proxies, certificates, retries. */
int sources_apt_options(struct list *options, struct err *e);

#endif
